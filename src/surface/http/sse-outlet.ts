// Server-sent events: an answer that goes on.
import type { ServerResponse } from 'node:http';
import type { OutgoingEvent, Outlet } from './outlet.ts';

export function sseOutlet(response: ServerResponse): Outlet {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  // What is said in the same moment goes with the head.
  response.cork();
  response.flushHeaders();
  setImmediate(() => response.uncork());
  return {
    get waitingBytes() {
      return response.writableLength;
    },
    write: (event) => response.write(textOf(event)),
    beat: () => response.write(':\n\n'),
    end: () => void response.end(),
    destroy: () => void response.destroy(),
    onDrained: (listener) => void response.on('drain', listener),
    onClosed(listener) {
      if (response.destroyed || response.closed) listener();
      else response.once('close', listener);
    },
  };
}

/** JSON has no line breaks of its own, so that it is one line. */
function textOf({ name, data, id }: OutgoingEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
