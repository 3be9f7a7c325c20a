// The optional `auth` of a message: HMAC-SHA256 over its timestamp and its canonical JSON, so that both ends know whom they hear.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { parseJson } from '../../channel/message/json.ts';
import { canonicalJson } from './canonical-json.ts';

/** How far the clocks of two ends may be apart, and how long a message could be played again. */
export const REPLAY_WINDOW_SECONDS = 300;

/** How many signatures are remembered, so that none is taken twice. */
const SEEN_MAX = 65_536;

/** In base64, of a message without its `auth`. */
export function signatureOf(message: JsonObject, timestamp: number, secret: string): string {
  return createHmac('sha256', secret)
    .update(`${timestamp}.${canonicalJson(message)}`)
    .digest('base64');
}

export class Seal {
  readonly #secret: string;
  readonly #nowSeconds: () => number;
  readonly #remembered: number;
  /** With their timestamps, the oldest first. */
  readonly #seen = new Map<string, number>();
  /** Of messages up to this timestamp some signatures are forgotten: none of them is taken any more. */
  #forgottenUpTo = -Infinity;

  constructor(secret: string, nowSeconds: () => number, remembered = SEEN_MAX) {
    this.#secret = secret;
    this.#nowSeconds = nowSeconds;
    this.#remembered = remembered;
  }

  /** The text of a message, or of a batch of them, with an `auth` in each. */
  signed(text: string): string {
    const message = parseJson(text) as Json; // it was just written
    return JSON.stringify(
      isJsonArray(message) ? message.map((item) => this.#sign(item)) : this.#sign(message),
    );
  }

  /** Why a message is not to be believed; undefined when it is genuine and new. */
  flawOf(message: JsonObject): string | undefined {
    const { auth, ...rest } = message;
    if (!isJsonObject(auth)) return 'the message has no auth { timestamp, signature }';
    const { timestamp, signature } = auth;
    if (typeof timestamp !== 'number' || typeof signature !== 'string')
      return 'its auth has no number "timestamp" and string "signature"';
    if (Math.abs(this.#nowSeconds() - timestamp) > REPLAY_WINDOW_SECONDS)
      return `its timestamp is more than ${REPLAY_WINDOW_SECONDS} s away from now`;
    const expected = signatureOf(rest, timestamp, this.#secret);
    if (!isSame(signature, expected)) return 'its signature is wrong';
    // Not as it was given: the same bytes can be written in many ways in base64.
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

/** In a time that does not tell how much of it was right. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given, 'base64'), Buffer.from(expected, 'base64')];
  return one.length === other.length && timingSafeEqual(one, other);
}
