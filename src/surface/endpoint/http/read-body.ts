// The body of a request as JSON: never more of it than is allowed, and never later.
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../base/clock.ts';
import { Refusal } from './refusal.ts';

export interface BodyLimits {
  readonly bodyBytes: number;
  readonly bodyMs: number;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws Refusal 400, 408 or 413 */
export async function readBody(request: IncomingMessage, limits: BodyLimits, clock: Clock): Promise<unknown> {
  const bytes = await readBytes(request, limits, clock);
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    throw new Refusal(400, 'Parse error: the body is no JSON.', {}, -32_700);
  }
}

function readBytes(
  request: IncomingMessage,
  { bodyBytes, bodyMs }: BodyLimits,
  clock: Clock,
): Promise<Buffer> {
  const close = { connection: 'close' };
  const tooLarge = () => new Refusal(413, `The body is larger than ${bodyBytes} bytes.`, close);
  if (Number(request.headers['content-length'] ?? 0) > bodyBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (refusal: Refusal) => {
      end();
      request.pause();
      reject(refusal);
    };
    const callOff = clock.after(bodyMs, () =>
      fail(new Refusal(408, `The body did not come within ${bodyMs} ms.`, close)),
    );
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > bodyBytes) fail(tooLarge());
      else chunks.push(chunk);
    };
    const done = () => {
      end();
      const [first] = chunks;
      resolve(first?.length === size ? first : Buffer.concat(chunks, size));
    };
    const gone = () => fail(new Refusal(400, 'The body ended before it was complete.', close));
    const end = () => {
      callOff();
      request.off('data', take).off('end', done).off('close', gone).off('error', gone);
      // What fails later has nobody to be told to.
      request.on('error', () => {});
    };
    request.on('data', take).on('end', done).on('close', gone).on('error', gone);
  });
}
