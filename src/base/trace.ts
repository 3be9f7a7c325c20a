// One name for all that is done for one request, from where it came in to the wire: the `traceparent` of W3C Trace Context.
import { randomFillSync } from 'node:crypto';

export interface Trace {
  /** `00-TRACE-SPAN-FLAGS`, in hexadecimal. */
  readonly traceparent: string;
  /** What tracing systems add; passed on as it is. */
  readonly tracestate?: string;
}

const FORM = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;
const STATE_MAX = 512;

/** Undefined where it is none: a request without one gets its own. */
export function traceOf(traceparent: unknown, tracestate?: unknown): Trace | undefined {
  if (typeof traceparent !== 'string' || !FORM.test(traceparent)) return undefined;
  // Anything but what can be seen has no place in a header.
  const isState =
    typeof tracestate === 'string' &&
    tracestate !== '' &&
    tracestate.length <= STATE_MAX &&
    /^[\u0020-\u007E]+$/.test(tracestate);
  return isState ? { traceparent, tracestate } : { traceparent };
}

/** One of its own, or the next step of one that is given. */
export function nextTrace(parent?: Trace): Trace {
  const [, trace, , flags] = (parent && FORM.exec(parent.traceparent)) ?? [];
  const own = `00-${trace ?? hex(16)}-${hex(8)}-${flags ?? '00'}`;
  return parent?.tracestate === undefined || trace === undefined
    ? { traceparent: own }
    : { traceparent: own, tracestate: parent.tracestate };
}

/** What all steps have in common. */
export function traceIdOf({ traceparent }: Trace): string {
  return traceparent.slice(3, 35);
}

// Random bytes cost as much to ask for as a call takes, so many are asked for at once.
const pool = Buffer.alloc(4096);
let used = pool.length;

function hex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  const text = pool.toString('hex', used - bytes, used);
  // All zeros mean that there is none.
  return /^0+$/.test(text) ? hex(bytes) : text;
}
