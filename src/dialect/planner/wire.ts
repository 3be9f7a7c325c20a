// Lines of the planner protocol: under 1 MB on their way out, packed where both ends agreed on that, and signed where there is a secret.
import { PluglotError } from '../../base/error.ts';
import { isJsonArray, isJsonObject, type Json } from '../../base/json.ts';
import { sentence } from '../../base/sentence.ts';
import type { Encoded } from '../../channel/bytes/pipe.ts';
import { bodyOf, lengthOf, sizeOf, textOf, type Body } from '../../channel/frame/body.ts';
import type { FrameDecoder, FrameSink, Framing } from '../../channel/frame/framing.ts';
import { lines } from '../../channel/frame/lines.ts';
import { parseJson } from '../../channel/message/json.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import { AUTHENTICATION_FAILED } from './codes.ts';
import { pack, Unpacking } from './gzip.ts';
import { Seal } from './seal.ts';

/** In bytes: what the specification asks a single message to stay under. */
export const MESSAGE_LIMIT = 1_000_000;

/** What becomes of a request that is not genuine: under this name a peer refuses it, in its turn. */
const REFUSED = 'rpc.refused';

export interface PlannerWireOptions {
  /** In bytes, packed or not. */
  readonly receiveLimit: number;
  /** With it every message is signed, and none is taken that is not. */
  readonly secret?: string;
  /** What came and was survived. */
  trouble(reason: string, text: string): void;
  /** @default the time of day */
  readonly nowSeconds?: () => number;
}

export class PlannerWire implements Framing {
  readonly name = 'lines';
  /** The other end said that it takes `{ "gzip": … }` for params and results. */
  takesGzip = false;
  readonly #options: PlannerWireOptions;
  readonly #lines: Framing;
  readonly #seal: Seal | undefined;

  constructor(options: PlannerWireOptions) {
    this.#options = options;
    this.#lines = lines({ receiveLimit: options.receiveLimit, sendLimit: MESSAGE_LIMIT });
    const { secret, nowSeconds = () => Date.now() / 1000 } = options;
    this.#seal = secret === undefined ? undefined : new Seal(secret, nowSeconds);
  }

  encode(body: Body): Encoded {
    const packed = this.takesGzip && isLarge(body) ? pack(body) : body;
    const sealed = this.#seal === undefined ? packed : bodyOf(this.#seal.signed(textOf(packed)));
    if (isLarge(sealed)) throw tooLarge(sizeOf(body), this.takesGzip);
    return this.#lines.encode(sealed);
  }

  decoder(sink: FrameSink): FrameDecoder {
    return this.#lines.decoder({
      body: (text, start, end) => this.#receive(sink, text, start, end),
      noise: (bytes) => sink.noise(bytes),
      oversize: (size, head) => sink.oversize(size, head),
      torn: (size) => sink.torn(size),
    });
  }

  #receive(sink: FrameSink, text: string, start: number, end: number): void {
    if (end - start > MESSAGE_LIMIT)
      this.#options.trouble(
        `a message of ${end - start} characters is taken, but the protocol asks for less than ${MESSAGE_LIMIT} bytes`,
        text.slice(start, start + 100),
      );
    const body = text.slice(start, end);
    if (this.#seal === undefined && !body.includes('"gzip"')) {
      sink.body(text, start, end);
      return;
    }
    const plain = this.#plain(body);
    if (plain !== undefined) sink.body(plain, 0, plain.length);
  }

  /** Checked and unpacked. Undefined when nothing of it may be believed and nobody waits for an answer. */
  #plain(body: string): string | undefined {
    try {
      const message = parseJson(body) as Json; // it parses JSON
      const genuine = this.#seal === undefined ? message : this.#genuine(message, this.#seal);
      if (genuine === undefined) return undefined;
      return JSON.stringify(new Unpacking(this.#options).messageOf(genuine));
    } catch {
      // No JSON, or nested too deep to be looked through. A decoder may be more forgiving than a signature can be: what was
      // not checked must not be read as JSON by anybody.
      return this.#seal === undefined ? body : `?${body}`;
    }
  }

  /** Undefined when nothing of it may be believed and nobody waits for an answer. */
  #genuine(message: Json, seal: Seal): Json | undefined {
    if (isJsonArray(message)) {
      const items = message.flatMap((item) => this.#genuine(item, seal) ?? []);
      // A batch that is empty by itself is told so by whoever reads it.
      return items.length === 0 && message.length > 0 ? undefined : items;
    }
    if (!isJsonObject(message)) return message;
    const flaw = seal.flawOf(message);
    if (flaw === undefined) return message;
    const { id, method } = message;
    const said = `Authentication failed: ${flaw}`;
    if (method === undefined)
      return { jsonrpc: '2.0', id: id ?? null, error: { code: AUTHENTICATION_FAILED, message: said } };
    if (id !== undefined) return { jsonrpc: '2.0', id, method: REFUSED, params: { said } };
    this.#options.trouble(`a notification is not genuine: ${flaw}`, JSON.stringify(message).slice(0, 100));
    return undefined;
  }
}

/** Answers the requests that the wire found not to be genuine. */
export function refuseUnauthenticated(peer: Peer): void {
  peer.handle(REFUSED, (params) => {
    const said = isJsonObject(params) ? params['said'] : undefined;
    const details = typeof said === 'string' ? said : 'Authentication failed';
    throw new RpcError(AUTHENTICATION_FAILED, details, { type: 'EXECUTION_ERROR', details });
  });
}

function isLarge(body: Body): boolean {
  // A character takes up to three bytes: what is shorter than this needs no measuring.
  return lengthOf(body) * 3 > MESSAGE_LIMIT && sizeOf(body) > MESSAGE_LIMIT;
}

function tooLarge(size: number, takesGzip: boolean): PluglotError {
  const why = takesGzip
    ? 'and it stays above that when it is packed'
    : 'and the other end does not take gzip';
  return new PluglotError(
    'FRAME_TOO_LARGE',
    `A message of ${size} bytes was not sent: messages of the planner protocol stay under ${MESSAGE_LIMIT} bytes, ${sentence(why)} ` +
      `Put what is large into files and name them, or send it in pieces.`,
  );
}
