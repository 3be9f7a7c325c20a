// A pipe over a child process's stdio, whose ending says how the child ended.
import type { Readable, Writable } from 'node:stream';
import { readableIncoming, type Incoming } from './incoming.ts';
import { Outgoing } from './outgoing.ts';
import type { Ending, Pipe, PipeOptions, PipeReader } from './pipe.ts';
import { JoinedPipe } from './stream-pipe.ts';

/** The part of a ChildProcess that a pipe needs. */
export interface ChildLike {
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  once(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
}

/** Exit and the end of stdout come within moments of each other, in any order; this long one waits for the other. */
const GRACE_MS = 200;

export function childPipe(child: ChildLike, options?: PipeOptions): Pipe {
  if (child.stdin === null || child.stdout === null) {
    throw new TypeError("childPipe() needs a child spawned with stdio 'pipe' for stdin and stdout.");
  }
  return new JoinedPipe(childIncoming(child, child.stdout), new Outgoing(child.stdin, options));
}

function childIncoming(child: ChildLike, stdout: Readable): Incoming {
  const incoming = readableIncoming(stdout);
  return { ...incoming, open: (reader) => incoming.open(withExit(child, stdout, reader)) };
}

/** The reader behind which the exit of the child is known: the end of stdout and the exit wait for each other, but not for ever. */
function withExit(child: ChildLike, stdout: Readable, reader: PipeReader): PipeReader {
  let ended: Ending | undefined;
  let told = false;
  let grace: NodeJS.Timeout | undefined;
  const tell = () => {
    clearTimeout(grace);
    if (told) return;
    told = true;
    reader.end(exitOf(child) ?? ended ?? { kind: 'ended' });
  };
  const graceOver = () => {
    // A grandchild can hold stdout open after the exit. What the child itself wrote is read first, however slow the reader.
    if (ended === undefined && stdout.isPaused()) grace?.refresh();
    else tell();
  };
  const startGrace = () => {
    if (!told) grace ??= setTimeout(graceOver, GRACE_MS);
  };
  child.once('exit', () => (ended === undefined ? startGrace() : tell()));
  // A program that could not be started has no exit, and its stdout may stay silent.
  child.once('error', (error) => {
    ended = { kind: 'failed', error };
    tell();
  });
  return {
    data(chunk) {
      grace?.refresh();
      reader.data(chunk);
    },
    end(ending) {
      ended ??= ending;
      if (exitOf(child) === undefined) startGrace();
      else tell();
    },
  };
}

function exitOf(child: ChildLike): Ending | undefined {
  if (child.exitCode === null && child.signalCode === null) return undefined;
  return { kind: 'exited', exitCode: child.exitCode, signal: child.signalCode };
}
