// Lines of the planner protocol: under 1 MB when sent, compressed where both ends agreed on it, and signed where there is a secret.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { PluglotError } from '../../base/error.ts';
import { canonicalJson, isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { sentence } from '../../base/text.ts';
import type { Encoded } from '../../channel/bytes/pipe.ts';
import { type Body, bodyOf, lengthOf, sizeOf, textOf } from '../../channel/frame/body.ts';
import type { FrameDecoder, FrameSink, Framing } from '../../channel/frame/framing.ts';
import { lines } from '../../channel/frame/lines.ts';
import { parseJson } from '../../channel/message/json.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import { AUTHENTICATION_FAILED } from './codes.ts';

/** In bytes: what the specification asks a single message to stay under. */
export const MESSAGE_LIMIT = 1_000_000;

/** A request that is not authentic is handed on under this name, so that the peer refuses it in its turn. */
const REFUSED = 'rpc.refused';

export interface PlannerWireOptions {
  /** In bytes, packed or not. */
  readonly receiveLimit: number;
  /** With a secret every message is signed, and unsigned messages are refused. */
  readonly secret?: string | undefined;
  /** Takes what was received and cannot be used. */
  report(reason: string, text: string): void;
  /** @default the time of day */
  readonly nowSeconds?: () => number;
}

export class PlannerWire implements Framing {
  readonly name = 'lines';
  /** Set when the other end accepts `{ "gzip": … }` for params and results. */
  sendsGzip = false;
  readonly #options: PlannerWireOptions;
  readonly #lines: Framing;
  readonly #signer: Signer | undefined;

  constructor(options: PlannerWireOptions) {
    this.#options = options;
    this.#lines = lines({ receiveLimit: options.receiveLimit, sendLimit: MESSAGE_LIMIT });
    const { secret, nowSeconds = () => Date.now() / 1000 } = options;
    this.#signer = secret === undefined ? undefined : new Signer(secret, nowSeconds);
  }

  encode(body: Body): Encoded {
    const compressed = this.sendsGzip && isLarge(body) ? compress(body) : body;
    const signed = this.#signer === undefined ? compressed : bodyOf(this.#signer.signed(textOf(compressed)));
    if (isLarge(signed)) throw tooLarge(sizeOf(body), this.sendsGzip);
    return this.#lines.encode(signed);
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
      this.#options.report(
        `a message has ${end - start} characters; the protocol allows less than ${MESSAGE_LIMIT} bytes`,
        text.slice(start, start + 100),
      );
    const body = text.slice(start, end);
    if (this.#signer === undefined && !body.includes('"gzip"')) {
      sink.body(text, start, end);
      return;
    }
    const plain = this.#plain(body);
    if (plain !== undefined) sink.body(plain, 0, plain.length);
  }

  /** Verified and decompressed. Undefined for a notification that is not authentic. */
  #plain(body: string): string | undefined {
    try {
      const message = parseJson(body) as Json; // it parses JSON
      const authentic = this.#signer === undefined ? message : this.#authentic(message, this.#signer);
      if (authentic === undefined) return undefined;
      return JSON.stringify(new Decompression(this.#options).messageOf(authentic));
    } catch {
      // Not JSON, or nested too deeply. The decoder behind this is more tolerant, and must not read unverified bytes as JSON.
      return this.#signer === undefined ? body : `?${body}`;
    }
  }

  /** Undefined for a notification that is not authentic. */
  #authentic(message: Json, signer: Signer): Json | undefined {
    if (isJsonArray(message)) {
      const items = message.flatMap((item) => this.#authentic(item, signer) ?? []);
      // The peer answers a batch that was empty from the start.
      return items.length === 0 && message.length > 0 ? undefined : items;
    }
    if (!isJsonObject(message)) return message;
    const problem = signer.problemOf(message);
    if (problem === undefined) return message;
    const { id, method } = message;
    const reason = `Authentication failed: ${problem}`;
    if (method === undefined)
      return { jsonrpc: '2.0', id: id ?? null, error: { code: AUTHENTICATION_FAILED, message: reason } };
    if (id !== undefined) return { jsonrpc: '2.0', id, method: REFUSED, params: { reason } };
    this.#options.report(
      `a notification is not authentic: ${problem}`,
      JSON.stringify(message).slice(0, 100),
    );
    return undefined;
  }
}

/** Answers the requests that the wire found not to be authentic. */
export function refuseUnauthenticated(peer: Peer): void {
  peer.handle(REFUSED, (params) => {
    const reason = isJsonObject(params) ? params['reason'] : undefined;
    const details = typeof reason === 'string' ? reason : 'Authentication failed';
    throw new RpcError(AUTHENTICATION_FAILED, details, { type: 'EXECUTION_ERROR', details });
  });
}

function isLarge(body: Body): boolean {
  // A character takes up to three bytes: shorter bodies need no measuring.
  return lengthOf(body) * 3 > MESSAGE_LIMIT && sizeOf(body) > MESSAGE_LIMIT;
}

function tooLarge(size: number, isCompressed: boolean): PluglotError {
  const why = isCompressed ? 'it is larger even when compressed' : 'the other end does not accept gzip';
  return new PluglotError(
    'FRAME_TOO_LARGE',
    `A message of ${size} bytes was not sent: the planner protocol allows ${MESSAGE_LIMIT} bytes, and ${sentence(why)} ` +
      `Put large content into files and send their names, or split the message.`,
  );
}

/** Replaces params or a result with `{ "gzip": … }`; the rest of a message is read before it is decompressed. */
function compress(body: Body): Body {
  if (!/"(?:params|result)":$/.test(body.head)) return body;
  return { ...body, payload: `{"gzip":"${gzipSync(body.payload).toString('base64')}"}` };
}

/** Of one message, with one size limit for all items of a batch: a few compressed bytes can become very many. */
class Decompression {
  readonly #options: PlannerWireOptions;
  #left: number;

  constructor(options: PlannerWireOptions) {
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
    if (!isCompressed(value)) return value;
    try {
      if (this.#left < 1) throw new Error('the message is too large');
      const bytes = gunzipSync(Buffer.from(value.gzip, 'base64'), { maxOutputLength: this.#left });
      this.#left -= bytes.length;
      return parseJson(bytes.toString()) as Json; // it parses JSON
    } catch (error) {
      this.#options.report(
        `a "gzip" member cannot be decompressed: ${String(error)}`,
        value.gzip.slice(0, 100),
      );
      return value;
    }
  }
}

function isCompressed(value: Json): value is { readonly gzip: string } {
  return isJsonObject(value) && typeof value['gzip'] === 'string' && Object.keys(value).length === 1;
}

/** How far the clocks of the two ends may differ, and how long a message could be replayed. */
export const REPLAY_WINDOW_SECONDS = 300;

/** How many signatures are remembered, so that no message is accepted twice. */
const SEEN_MAX = 65_536;

/** The base64 signature of a message without its `auth`. */
export function signatureOf(message: JsonObject, timestamp: number, secret: string): string {
  return createHmac('sha256', secret)
    .update(`${timestamp}.${canonicalJson(message)}`)
    .digest('base64');
}

export class Signer {
  readonly #secret: string;
  readonly #nowSeconds: () => number;
  readonly #remembered: number;
  /** Signatures with their timestamps, the oldest first. */
  readonly #seen = new Map<string, number>();
  /** Some signatures up to this timestamp are forgotten, so messages up to it are refused. */
  #forgottenUpTo = -Infinity;

  constructor(secret: string, nowSeconds: () => number, remembered = SEEN_MAX) {
    this.#secret = secret;
    this.#nowSeconds = nowSeconds;
    this.#remembered = remembered;
  }

  /** Adds `auth` to a message, or to each message of a batch. */
  signed(text: string): string {
    const message = parseJson(text) as Json; // it was just written
    return JSON.stringify(
      isJsonArray(message) ? message.map((item) => this.#sign(item)) : this.#sign(message),
    );
  }

  /** Why a message is refused; undefined when it is authentic and new. */
  problemOf(message: JsonObject): string | undefined {
    const { auth, ...rest } = message;
    if (!isJsonObject(auth)) return 'the message has no auth { timestamp, signature }';
    const { timestamp, signature } = auth;
    if (typeof timestamp !== 'number' || typeof signature !== 'string')
      return 'its auth has no number "timestamp" and string "signature"';
    if (Math.abs(this.#nowSeconds() - timestamp) > REPLAY_WINDOW_SECONDS)
      return `its timestamp is more than ${REPLAY_WINDOW_SECONDS} s away from now`;
    const expected = signatureOf(rest, timestamp, this.#secret);
    if (!isSame(signature, expected)) return 'its signature is wrong';
    // The expected text, since base64 can write the same bytes in many ways.
    return this.#isNew(expected, timestamp) ? undefined : 'it was sent before';
  }

  #sign(message: Json): Json {
    if (!isJsonObject(message)) return message;
    const timestamp = Math.floor(this.#nowSeconds());
    return { ...message, auth: { timestamp, signature: signatureOf(message, timestamp, this.#secret) } };
  }

  #isNew(signature: string, timestamp: number): boolean {
    if (this.#seen.has(signature) || timestamp <= this.#forgottenUpTo) return false;
    if (this.#seen.size >= this.#remembered) this.#forgetOldest();
    this.#seen.set(signature, timestamp);
    return true;
  }

  #forgetOldest(): void {
    for (const [signature, timestamp] of this.#seen) {
      this.#seen.delete(signature);
      this.#forgottenUpTo = Math.max(this.#forgottenUpTo, timestamp);
      return;
    }
  }
}

/** Takes the same time however much of the signature is right. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given, 'base64'), Buffer.from(expected, 'base64')];
  return one.length === other.length && timingSafeEqual(one, other);
}
