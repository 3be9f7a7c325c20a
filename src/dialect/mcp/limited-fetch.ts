// fetch with a limit on what an answer may make us hold: a JSON body as a whole, an event stream between two events.
import { PluglotError } from '../../base/error.ts';
import { faithfulFetch } from './faithful-fetch.ts';

export interface ResponseLimit {
  readonly pluginName: string;
  readonly messageBytes: number;
}

export function limitedFetch({ pluginName, messageBytes }: ResponseLimit): typeof fetch {
  const send = faithfulFetch(pluginName);
  return async (input, init) => {
    const response = await send(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const count = isStream ? eventCounter() : bodyCounter();
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          if (count(chunk) <= messageBytes) return controller.enqueue(chunk);
          controller.error(
            new PluglotError(
              'FRAME_TOO_LARGE',
              `Plugin "${pluginName}" answered with more than ${messageBytes} bytes, which is over the limit for receiving (limits.messageBytes).`,
            ),
          );
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(counted, { status, statusText, headers });
  };
}

/** Takes a chunk and tells the largest that had to be held at once so far. */
type Counter = (chunk: Uint8Array) => number;

function bodyCounter(): Counter {
  let size = 0;
  return (chunk) => (size += chunk.length);
}

const LF = 0x0a;
const CR = 0x0d;

/** An event ends at an empty line; a line ends at LF, CR or both. */
function eventCounter(): Counter {
  let event = 0;
  let largest = 0;
  let lineLength = 0;
  let isAfterCR = false;
  return (chunk) => {
    let start = 0;
    let nextLF = chunk.indexOf(LF);
    let nextCR = chunk.indexOf(CR);
    while (start < chunk.length) {
      if (nextLF !== -1 && nextLF < start) nextLF = chunk.indexOf(LF, start);
      if (nextCR !== -1 && nextCR < start) nextCR = chunk.indexOf(CR, start);
      const end = Math.min(nextLF === -1 ? chunk.length : nextLF, nextCR === -1 ? chunk.length : nextCR);
      lineLength += end - start;
      event += end - start;
      largest = Math.max(largest, event);
      const isRestOfCRLF = isAfterCR && end === start && end === nextLF;
      if (end < chunk.length && !isRestOfCRLF) {
        if (lineLength === 0) event = 0;
        lineLength = 0;
      }
      isAfterCR = end < chunk.length && end === nextCR;
      start = end + 1;
    }
    return largest;
  };
}
