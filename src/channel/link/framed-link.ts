// A link that frames messages over a pipe.
import type { Pipe } from '../bytes/pipe.ts';
import type { Framing } from '../frame/framing.ts';
import { messageDecoder } from '../message/decode.ts';
import { messageEncoder } from '../message/encode.ts';
import type { Tolerances } from '../message/tolerances.ts';
import type { Link } from './link.ts';

export interface LinkOptions {
  /**
   * What this end forgives the other.
   * @default nothing
   */
  readonly tolerances?: Tolerances;
}

export function framedLink(pipe: Pipe, framing: Framing, options: LinkOptions = {}): Link {
  const decode = messageDecoder(options.tolerances);
  const encode = messageEncoder();
  return {
    open(listener) {
      const decoder = framing.decoder({
        body: (text, start, end) => listener.message(decode(text, start, end)),
        noise: (bytes) => listener.trouble({ kind: 'noise', text: bytes.toString() }),
        oversize: (size, head) => listener.trouble({ kind: 'oversize', size, head }),
        torn: (size) => listener.trouble({ kind: 'torn', size }),
      });
      pipe.open({
        data(chunk) {
          listener.chunkStart();
          decoder.push(chunk);
        },
        end(ending) {
          decoder.end();
          listener.end(ending);
        },
      });
    },
    pause: () => pipe.pause(),
    resume: () => pipe.resume(),
    send: (message) => pipe.write(framing.encode(encode(message))),
    get hasRoom() {
      return pipe.hasRoom;
    },
    get isFull() {
      return pipe.isFull;
    },
    drained: () => pipe.drained(),
    end: () => pipe.end(),
    destroy: (ending) => pipe.destroy(ending),
  };
}
