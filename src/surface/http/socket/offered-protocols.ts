// Subprotocols that a WebSocket offers. Scripts of a page can set nothing else, so that the token may stand among them.
import type { IncomingHttpHeaders } from 'node:http';

/** The only one that is spoken. */
export const PROTOCOL = 'pluglot.v1';
const BEARER = 'pluglot.bearer.';

export interface OfferedProtocols {
  readonly all: readonly string[];
  /** The first there is. */
  readonly bearer: string | undefined;
}

export function offeredProtocols({
  'sec-websocket-protocol': value = '',
}: IncomingHttpHeaders): OfferedProtocols {
  const all = value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return { all, bearer: all.find((one) => one.startsWith(BEARER))?.slice(BEARER.length) };
}
