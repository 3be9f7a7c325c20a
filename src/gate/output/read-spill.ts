// Reads a result that was too large, for the caller whose call left it.
import { PluglotError } from '../../base/error.ts';
import type { Caller } from '../../definition/caller.ts';
import { callerOf } from '../call-request.ts';
import { Denial } from '../denial.ts';
import type { CallPipeline, PipelineParts } from '../pipeline.ts';
import type { SpillPart, SpillReading, SpillStore } from './spill-store.ts';

/** Handles come from clients. */
const HANDLE_MAX = 100;

/** Only for the caller whose call left the result; recorded before it is read. @throws PluglotError AUDIT_FAILED or CALL_CANCELLED */
export async function readSpill(
  pipeline: CallPipeline,
  parts: PipelineParts,
  spill: SpillStore,
  handle: string,
  caller: Caller,
  reading: SpillReading,
): Promise<SpillPart | undefined> {
  const { calls, records, newId, clock } = parts;
  const id = newId();
  const name = `pluglot:result:${handle.slice(0, HANDLE_MAX)}`;
  const { offset = 0 } = reading;
  const args = Number.isFinite(offset) && offset !== 0 ? { offset } : {};
  const call = calls.open({ id, kind: 'resource', name, caller: callerOf(caller), args });
  try {
    const denial = pipeline.checkOpen(call) ?? (spill.isFor(call.caller, handle) ? undefined : notTheirs());
    if (denial !== undefined) return void pipeline.deny(call, denial);
    const unrecorded = await records.allowedResult(call);
    if (unrecorded !== undefined) throw new PluglotError(unrecorded.failure.code, unrecorded.failure.message);
    const startedAt = clock.now();
    const part = await spill.read(handle, reading);
    const bytes = part === undefined ? 0 : Buffer.byteLength(part.text);
    records.ended({ id, ok: part !== undefined, durationMs: clock.now() - startedAt, bytes });
    return part;
  } finally {
    pipeline.done(call);
  }
}

function notTheirs(): Denial {
  return new Denial('not-offered', {
    code: 'PERMISSION_DENIED',
    message: 'There is no result with this handle, or it belongs to another caller.',
  });
}
