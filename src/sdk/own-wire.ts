// Takes the wire away from file descriptor 1, where native code, `fs.writeSync(1, …)` and child processes print.
import type { Stats } from 'node:fs';
import { builtins } from '../base/builtins.ts';

export interface OwnWire {
  /** The descriptor to write to. */
  readonly fd: number;
  /** It is neither a pipe nor a socket, and so written with the functions of `node:fs`. */
  readonly isFile: boolean;
  /** The host reads stderr and stdout from one pipe, as the G-Assist engine does: what is printed there stands between the messages. */
  readonly mixesStderr: boolean;
}

/**
 * The wire to the host. Where stdout is a pipe it is a new one, which no child process inherits, and 1 leads
 * to stderr from then on. Node cannot copy a descriptor, but a pipe can be opened again by its path, and what is opened next
 * gets the lowest free number. A socket has no such path, so there it stays 1: that is what Node makes for the children it starts.
 */
export function takeWire(): OwnWire {
  const { fs } = builtins;
  const stdout = statOf(1);
  const mixesStderr = isSame(statOf(2), stdout);
  // With 0 closed, 0 would be the lowest free number.
  if (stdout?.isFIFO() !== true || statOf(0) === undefined)
    return { fd: 1, isFile: stdout?.isSocket() !== true && stdout?.isFIFO() !== true, mixesStderr };
  try {
    // Without O_NONBLOCK the opening would wait for a reader, and the host may be gone.
    const wire = fs.openSync('/dev/fd/1', fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
    fs.closeSync(1);
    openForPrints(stdout);
    if (mixesStderr) leadNowhere(2);
    return { fd: wire, isFile: false, mixesStderr };
  } catch {
    return { fd: 1, isFile: false, mixesStderr };
  }
}

/** Takes the place of 1. */
function openForPrints(wire: Stats): void {
  const { fs } = builtins;
  try {
    if (!takesPrints(statOf(2), wire)) throw new Error('not stderr');
    fs.closeSync(fs.openSync('/dev/fd/2', fs.constants.O_WRONLY | fs.constants.O_NONBLOCK));
    fs.openSync('/dev/fd/2', fs.constants.O_WRONLY);
  } catch {
    fs.openSync('/dev/null', fs.constants.O_WRONLY);
  }
}

/** A file that is opened twice is written over. */
function takesPrints(stderr: Stats | undefined, wire: Stats): boolean {
  if (stderr === undefined || isSame(stderr, wire)) return false;
  return stderr.isFIFO() || stderr.isCharacterDevice();
}

function isSame(one: Stats | undefined, other: Stats | undefined): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

/** What is opened next takes the number of what was closed. */
function leadNowhere(fd: number): void {
  const { fs } = builtins;
  fs.closeSync(fd);
  fs.openSync('/dev/null', fs.constants.O_WRONLY);
}

function statOf(fd: number): Stats | undefined {
  try {
    return builtins.fs.fstatSync(fd);
  } catch {
    return undefined;
  }
}
