// The reading half of a pipe, from a Node Readable or straight from a file descriptor.
import type { OnReadOpts, SocketConstructorOpts } from 'node:net';
import type { Readable } from 'node:stream';
import { builtins } from '../../base/builtins.ts';
import { KiB } from '../../base/units.ts';
import type { Ending, PipeReader } from './pipe.ts';

export interface Incoming {
  open(reader: PipeReader): void;
  pause(): void;
  resume(): void;
  destroy(): void;
}

export function readableIncoming(stream: Readable): Incoming {
  // An error before the opening is reported at the opening; without a listener it would end this process.
  stream.on('error', ignore);
  return {
    open(reader) {
      reportEnd(stream, (ending) => reader.end(ending));
      stream.on('data', (chunk: Buffer | string) =>
        reader.data(typeof chunk === 'string' ? Buffer.from(chunk) : chunk),
      );
    },
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    destroy: () => void stream.destroy(),
  };
}

/** Reads a pipe or socket into one reused buffer: no allocation per read, and none of the Readable's bookkeeping. */
export function socketIncoming(fd: number): Incoming {
  let reader: PipeReader | undefined;
  const buffer = Buffer.allocUnsafeSlow(64 * KiB);
  // The types of this Node version leave `onread` out of the constructor's options; its documentation has it.
  const options: SocketConstructorOpts & { onread: OnReadOpts } = {
    fd,
    writable: false,
    onread: {
      buffer,
      callback(size) {
        reader?.data(size === buffer.length ? buffer : buffer.subarray(0, size));
        return true;
      },
    },
  };
  const socket = new builtins.net.Socket(options);
  socket.on('error', ignore);
  socket.pause();
  return {
    open(opened) {
      reader = opened;
      reportEnd(socket, (ending) => opened.end(ending));
      socket.resume();
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    destroy: () => void socket.destroy(),
  };
}

export function fileIncoming(fd: number): Incoming {
  const { fs, tty } = builtins;
  // As a file, a terminal without input would keep this process from ending.
  if (tty.isatty(fd)) return readableIncoming(new tty.ReadStream(fd));
  return readableIncoming(fs.createReadStream('', { fd, autoClose: false, highWaterMark: 64 * KiB }));
}

function reportEnd(stream: Readable, report: (ending: Ending) => void): void {
  let isReported = false;
  const once = (ending: Ending) => {
    if (isReported) return;
    isReported = true;
    report(ending);
  };
  stream.once('end', () => once({ kind: 'ended' }));
  stream.once('error', (error) => once({ kind: 'failed', error }));
  stream.once('close', () => once({ kind: 'ended' }));
  if (stream.readableEnded || stream.destroyed) {
    // Its events may be over.
    process.nextTick(() =>
      once(stream.errored ? { kind: 'failed', error: stream.errored } : { kind: 'ended' }),
    );
  }
}

function ignore(): void {}
