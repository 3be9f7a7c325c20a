// The body of a request as JSON: never more bytes, keys, values or levels than are allowed, and never later.
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { KiB } from '../../base/units.ts';
import { parseJson } from '../../channel/message/json.ts';
import { exceededLimit, type JsonLimits } from '../../channel/message/json-limits.ts';
import { badRequest, HttpProblem } from './problem.ts';

export interface BodyLimits {
  readonly bytes: number;
  readonly json: JsonLimits;
  /** @default as long as the request may take */
  readonly ms?: number;
}

/** No body is an empty object. @throws HttpProblem 400, 408, 413 or 415 */
export async function readObject(
  request: IncomingMessage,
  limits: BodyLimits,
  clock: Clock,
): Promise<JsonObject> {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (encoding !== undefined && encoding !== 'identity')
    throw new HttpProblem(415, 'BAD_REQUEST', 'The body must not have a content-encoding.');
  const text = decoded(await readBytes(request, limits, clock));
  if (text === '') return {};
  // A form of another page cannot set this type.
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type ?? ''))
    throw new HttpProblem(415, 'BAD_REQUEST', 'The body must be JSON: content-type: application/json.');
  const value = await parsed(text, limits.json);
  if (!isJsonObject(value)) throw badRequest('The body must be a JSON object.');
  return value;
}

/** @throws HttpProblem 400, 408 or 413 */
export async function readJson(request: IncomingMessage, limits: BodyLimits, clock: Clock): Promise<Json> {
  return parsed(decoded(await readBytes(request, limits, clock)), limits.json);
}

async function readBytes(request: IncomingMessage, { bytes, ms }: BodyLimits, clock: Clock): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytes) throw tooLarge(bytes);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = () => {
      callOff?.();
      request.off('data', take).off('end', done).off('close', gone).off('error', gone);
      // Later errors do not matter.
      request.on('error', () => {});
    };
    const refuse = (problem: HttpProblem) => {
      end();
      request.pause();
      reject(problem);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bytes) chunks.push(chunk);
      else refuse(tooLarge(bytes));
    };
    const done = () => {
      end();
      const [first] = chunks;
      resolve(first?.length === size ? first : Buffer.concat(chunks, size));
    };
    const gone = () => refuse(badRequest('The body of the request ended before it was complete.'));
    const callOff = ms === undefined ? undefined : clock.after(ms, () => refuse(tooSlow(ms)));
    request.on('data', take).on('end', done).on('close', gone).on('error', gone);
  });
}

function decoded(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw badRequest('The body is not UTF-8.');
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Parsing a longer text takes some milliseconds, and so does what follows: other requests come between. */
const LONG = 128 * KiB;

async function parsed(text: string, limits: JsonLimits): Promise<Json> {
  const excess = exceededLimit(text, limits);
  if (excess !== undefined)
    throw new HttpProblem(413, 'BAD_REQUEST', `The body is too much for one request. ${excess} ${RAISE}`);
  const value = parsedOrRefused(text);
  if (text.length > LONG) await new Promise((resolve) => setImmediate(resolve));
  return value;
}

function parsedOrRefused(text: string): Json {
  try {
    return parseJson(text) as Json; // what JSON.parse gives is JSON
  } catch {
    throw badRequest('The body is not JSON.');
  }
}

/** How a request that is over a limit gets through. */
export const RAISE = 'Send less at once, or raise server.limits in pluglot.json.';

function tooLarge(bytes: number): HttpProblem {
  return new HttpProblem(413, 'BAD_REQUEST', `The body is larger than ${bytes} bytes. ${RAISE}`, {
    connection: 'close',
  });
}

function tooSlow(ms: number): HttpProblem {
  return new HttpProblem(408, 'BAD_REQUEST', `The body did not come within ${ms} ms.`, {
    connection: 'close',
  });
}
