// Whether this program's code runs in a thread that was started to do part of its work: then `serve` does that part instead.
import type { MessagePort } from 'node:worker_threads';
import { builtins } from '../../base/builtins.ts';
import { isJsonObject } from '../../base/json.ts';
import { RunAhead } from './run-ahead.ts';

/** `isolated`: runs the tools that may block. `described`: only posts the manifest. */
export type OwnThread =
  | { readonly role: 'isolated'; readonly port: MessagePort; readonly runAhead: RunAhead }
  | { readonly role: 'described'; readonly port: MessagePort };

/** Undefined in the main thread, and in threads that the author started. */
export function ownThread(): OwnThread | undefined {
  const { isMainThread, parentPort } = builtins.threads;
  const workerData: unknown = builtins.threads.workerData;
  if (isMainThread || parentPort === null || !isJsonObject(workerData)) return undefined;
  const { pluglotRole: role, waiting }: { pluglotRole?: unknown; waiting?: unknown } = workerData;
  if (role === 'described') return { role, port: parentPort };
  if (role !== 'isolated' || !(waiting instanceof Int32Array)) return undefined;
  return { role, port: parentPort, runAhead: new RunAhead(waiting) };
}

/** The `workerData` of such threads. */
export const describedThread = { pluglotRole: 'described' };

export function isolatedThread({ shared }: RunAhead): object {
  return { pluglotRole: 'isolated', waiting: shared };
}
