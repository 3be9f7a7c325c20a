// `{ "gzip": … }` in the place of params or a result, both ways.
import { gunzipSync, gzipSync } from 'node:zlib';
import { isJsonArray, isJsonObject, type Json } from '../../base/json.ts';
import type { Body } from '../../channel/frame/body.ts';
import { parseJson } from '../../channel/message/json.ts';

/** Only what stands in params or a result: the rest has to be read before anything is unpacked. */
export function pack(body: Body): Body {
  if (!/"(?:params|result)":$/.test(body.head)) return body;
  return { ...body, payload: `{"gzip":"${gzipSync(body.payload).toString('base64')}"}` };
}

export interface UnpackOptions {
  /** In bytes, of all that is packed in one message. */
  readonly receiveLimit: number;
  /** What could not be unpacked, and is left as it came. */
  trouble(reason: string, text: string): void;
}

/** Of one message: a batch has room for no more than a single one, since little that is packed can become very much. */
export class Unpacking {
  readonly #options: UnpackOptions;
  #left: number;

  constructor(options: UnpackOptions) {
    this.#options = options;
    this.#left = options.receiveLimit;
  }

  messageOf(message: Json): Json {
    if (isJsonArray(message)) return message.map((item) => this.messageOf(item));
    if (!isJsonObject(message)) return message;
    const { params, result } = message;
    if (params !== undefined) return { ...message, params: this.#valueOf(params) };
    return result === undefined ? message : { ...message, result: this.#valueOf(result) };
  }

  #valueOf(value: Json): Json {
    if (!isPacked(value)) return value;
    try {
      if (this.#left < 1) throw new Error('there is no room for it');
      const bytes = gunzipSync(Buffer.from(value.gzip, 'base64'), { maxOutputLength: this.#left });
      this.#left -= bytes.length;
      return parseJson(bytes.toString()) as Json; // it parses JSON
    } catch (error) {
      this.#options.trouble(
        `what is called gzip cannot be unpacked: ${String(error)}`,
        value.gzip.slice(0, 100),
      );
      return value;
    }
  }
}

function isPacked(value: Json): value is { readonly gzip: string } {
  return isJsonObject(value) && typeof value['gzip'] === 'string' && Object.keys(value).length === 1;
}
