// Every answer of this server, with what browsers are told of all of them.
import { ServerResponse, type OutgoingHttpHeader, type OutgoingHttpHeaders } from 'node:http';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

const always: OutgoingHttpHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
};

/** Put in with the others when they are written: to set each of them before would cost as much as the rest of a short answer. */
export class SafeResponse extends ServerResponse {
  override writeHead(status: number, headers?: Headers): this;
  override writeHead(status: number, message?: string, headers?: Headers): this;
  override writeHead(status: number, first?: string | Headers, second?: Headers): this {
    const given = typeof first === 'string' ? second : first;
    const headers = Array.isArray(given)
      ? [...Object.entries(always).flat(), ...given]
      : { ...always, ...given };
    return typeof first === 'string'
      ? super.writeHead(status, first, headers as Headers)
      : super.writeHead(status, headers as Headers);
  }
}
