// Authorisation of the plugins of a fleet at remote servers: where tokens are kept, and how the user is asked.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Emitter } from '../../base/emitter.ts';
import { PluglotError } from '../../base/error.ts';
import { MiB } from '../../base/units.ts';
import { sentence, shellWord } from '../../base/text.ts';
import type { Access, Safe } from '../../dialect/access.ts';
import { changeFile, readTextFile } from '../trust/files.ts';
import { otherWriters } from '../trust/paths.ts';

export interface FleetAccessOptions {
  /** Where tokens are kept, such as `tokens` in the state folder. */
  readonly folder: string;
  /** Opens a URL for the user, usually in a browser. Without it only listeners of `attend` are asked. */
  readonly openUrl?: (url: string, plugin: string) => void | Promise<void>;
}

export interface FleetAccess extends Access {
  /**
   * Calls the listener, instead of `openUrl`, with the URLs that the user of this plugin has to open; at once if one waits already.
   * The returned function removes it.
   */
  attend(plugin: string, show: (url: string) => void): () => void;
}

export function fleetAccess({ folder, openUrl }: FleetAccessOptions): FleetAccess {
  const attending = new Map<string, Emitter<string>>();
  const waiting = new Map<string, string>();
  return {
    safe: fileSafe(folder),
    once: createOnce(),
    person(plugin) {
      if (openUrl === undefined && attending.get(plugin)?.isHeard !== true) return undefined;
      return async (url, signal) => {
        signal.throwIfAborted();
        waiting.set(plugin, url);
        const answered = () => {
          if (waiting.get(plugin) === url) waiting.delete(plugin);
        };
        signal.addEventListener('abort', answered, { once: true });
        const shown = attending.get(plugin);
        if (shown?.isHeard === true) shown.emit(url);
        else await openUrl?.(url, plugin);
      };
    },
    attend(plugin, show) {
      const emitter = attending.get(plugin) ?? new Emitter<string>();
      attending.set(plugin, emitter);
      const end = emitter.add(show);
      const url = waiting.get(plugin);
      if (url !== undefined) show(url);
      return () => {
        end();
        if (!emitter.isHeard && attending.get(plugin) === emitter) attending.delete(plugin);
      };
    },
  };
}

/** Keys are letters, digits, dots and dashes. */
export function fileSafe(folder: string): Safe {
  const fileOf = (key: string) => {
    if (!/^[\w-][\w.-]{0,150}$/.test(key)) throw new Error(`No key of a safe: ${JSON.stringify(key)}`);
    return path.join(folder, `${key}.json`);
  };
  return {
    read: (key) => textOf(fileOf(key)),
    async change(key, work) {
      const file = fileOf(key);
      await changeFile(file, { mode: 0o600, enforceMode: true }, async () => work(await textOf(file)));
    },
    remove: (key) => rm(fileOf(key), { force: true }),
  };
}

async function textOf(file: string): Promise<string | undefined> {
  const read = await readTextFile(file, MiB);
  if (read.kind === 'absent') return undefined;
  if (read.kind === 'unreadable')
    throw new PluglotError(
      'CONFIG_INVALID',
      `${file} ${sentence(read.reason)} Remove it: rm -r ${shellWord(file)}`,
    );
  // With write access others could redirect tokens; with read access they have them already.
  if (process.platform !== 'win32' && (read.mode & 0o077) !== 0)
    throw new PluglotError(
      'CONFIG_INVALID',
      `${file} holds secrets, and others may open it. Remove it and authorise again: rm ${shellWord(file)}`,
    );
  const open = otherWriters(file, 'state');
  if (open !== undefined)
    throw new PluglotError(
      'CONFIG_INVALID',
      `${file} holds secrets, and ${open.place} ${sentence(open.reason)} Run: ${open.fix}`,
    );
  return read.text;
}

type Once = <Value>(
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
) => Promise<Value>;

interface Joint {
  readonly result: Promise<unknown>;
  readonly abort: AbortController;
  waiting: number;
}

/** Each waiter may leave by its own signal; when all have left, the work is cancelled. */
export function createOnce(): Once {
  const joints = new Map<string, Joint>();
  const begin = (key: string, work: (signal: AbortSignal) => Promise<unknown>): Joint => {
    const abort = new AbortController();
    const result = work(abort.signal).finally(() => {
      if (joints.get(key) === joint) joints.delete(key);
    });
    // It may fail after all have left.
    result.catch(() => {});
    const joint: Joint = { result, abort, waiting: 0 };
    joints.set(key, joint);
    return joint;
  };
  return async <Value>(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> => {
    signal.throwIfAborted();
    const joint = joints.get(key) ?? begin(key, work);
    joint.waiting += 1;
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      // In this program the reason of a signal is an Error.
      leave = () => reject(signal.reason as Error);
    });
    signal.addEventListener('abort', leave, { once: true });
    try {
      // One key always stands for one kind of work.
      return (await Promise.race([joint.result, left])) as Value;
    } finally {
      signal.removeEventListener('abort', leave);
      joint.waiting -= 1;
      if (joint.waiting === 0) {
        if (joints.get(key) === joint) joints.delete(key);
        joint.abort.abort(signal.reason);
      }
    }
  };
}
