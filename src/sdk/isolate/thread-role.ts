// Whether this program's code runs in a thread that was started to do part of its work: then `serve` does that part instead.
import { isMainThread, parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { isJsonObject } from '../../base/json.ts';

/** `isolated`: runs the tools that may block. `described`: only tells what the plugin is. */
export type ThreadRole = 'isolated' | 'described';

export interface OwnThread {
  readonly role: ThreadRole;
  readonly port: MessagePort;
}

/** Undefined in the main thread, and in threads that the author started. */
export function ownThread(): OwnThread | undefined {
  if (isMainThread || parentPort === null || !isJsonObject(workerData)) return undefined;
  const role = workerData['pluglotRole'];
  return role === 'isolated' || role === 'described' ? { role, port: parentPort } : undefined;
}

/** The `workerData` of such a thread. */
export function threadData(role: ThreadRole): { readonly pluglotRole: ThreadRole } {
  return { pluglotRole: role };
}
