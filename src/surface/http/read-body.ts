// The body of a request, never more of it than is allowed, whatever it says of its size.
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { badRequest, HttpProblem } from './problem.ts';

export interface BodyLimits {
  readonly bytes: number;
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
    throw new HttpProblem(415, 'BAD_REQUEST', 'Bodies are taken as they are, without a content-encoding.');
  const bytes = await readBytes(request, limits, clock);
  if (bytes.length === 0) return {};
  // A form of a page of somebody else cannot say that it is JSON.
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type ?? ''))
    throw new HttpProblem(415, 'BAD_REQUEST', 'The body has to be JSON: content-type: application/json.');
  const value = parsed(bytes);
  if (!isJsonObject(value)) throw badRequest('The body has to be a JSON object.');
  return value;
}

async function readBytes(request: IncomingMessage, { bytes, ms }: BodyLimits, clock: Clock): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytes) throw tooLarge(bytes);
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const end = () => {
      callOff?.();
      request.off('data', take).off('end', done).off('close', gone).off('error', gone);
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
      resolve(Buffer.concat(chunks, size));
    };
    const gone = () => {
      end();
      // What fails later has nobody to be told to.
      request.on('error', () => {});
      reject(badRequest('The body of the request ended before it was complete.'));
    };
    const callOff = ms === undefined ? undefined : clock.after(ms, () => refuse(tooSlow(ms)));
    request.on('data', take).on('end', done).on('close', gone).on('error', gone);
  });
}

function parsed(bytes: Buffer): Json {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch {
    throw badRequest('The body is no JSON.');
  }
}

function tooLarge(limitBytes: number): HttpProblem {
  return new HttpProblem(413, 'BAD_REQUEST', `The body is larger than ${limitBytes} bytes.`, {
    connection: 'close',
  });
}

function tooSlow(ms: number): HttpProblem {
  return new HttpProblem(408, 'BAD_REQUEST', `The body did not come within ${ms} ms.`, {
    connection: 'close',
  });
}
