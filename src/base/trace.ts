// One id for all work on one request, from the surface to the wire: the `traceparent` of W3C Trace Context.
import { randomFillSync } from 'node:crypto';

export interface Trace {
  /** `00-TRACE-SPAN-FLAGS`, in hexadecimal. */
  readonly traceparent: string;
  /** Added by tracing systems; passed on unchanged. */
  readonly tracestate?: string;
}

const FORM = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;
const STATE_MAX = 512;

/** Undefined if it is invalid: such a request gets a new one. */
export function traceOf(traceparent: unknown, tracestate?: unknown): Trace | undefined {
  if (typeof traceparent !== 'string' || !FORM.test(traceparent)) return undefined;
  // Only visible characters are allowed in a header.
  const isState =
    typeof tracestate === 'string' &&
    tracestate !== '' &&
    tracestate.length <= STATE_MAX &&
    /^[\u0020-\u007E]+$/.test(tracestate);
  return isState ? { traceparent, tracestate } : { traceparent };
}

/** A new trace, or the next span of the given one. */
export function nextTrace(parent?: Trace): Trace {
  const [, trace, , flags] = (parent && FORM.exec(parent.traceparent)) ?? [];
  const own = `00-${trace ?? hex(16)}-${hex(8)}-${flags ?? '00'}`;
  return parent?.tracestate === undefined || trace === undefined
    ? { traceparent: own }
    : { traceparent: own, tracestate: parent.tracestate };
}

/** The part that all spans share. */
export function traceIdOf({ traceparent }: Trace): string {
  return traceparent.slice(3, 35);
}

// Fetching random bytes takes as long as a call, so many are fetched at once.
const pool = Buffer.alloc(4096);
let used = pool.length;

function hex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  const text = pool.toString('hex', used - bytes, used);
  // All zeros mean "no id".
  return /^0+$/.test(text) ? hex(bytes) : text;
}
