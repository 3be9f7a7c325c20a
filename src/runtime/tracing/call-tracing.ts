// A span for every call that passes the gate. Without an SDK of OpenTelemetry nothing is recorded, and calls still get a trace to be
// named by.
import type { Span, SpanContext, TraceState } from '@opentelemetry/api';
import { nextTrace, traceOf, type Trace } from '../../base/trace.ts';
import type { CallObserver } from '../../gate/observer.ts';

const NAME_MAX = 100;
/** Of a span that is not recorded. */
const NO_TRACE = '0'.repeat(32);

export async function callTracing(): Promise<CallObserver> {
  const { context, createTraceState, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } =
    await import('@opentelemetry/api');
  return {
    asked({ id, kind, name, caller, trace: given }) {
      const around =
        given === undefined
          ? context.active()
          : trace.setSpanContext(ROOT_CONTEXT, contextOf(given, createTraceState));
      const word = name.slice(0, NAME_MAX);
      // Looked for anew each time, since an SDK may come later.
      const span = trace.getTracer('pluglot').startSpan(
        `execute_tool ${word}`,
        {
          kind: SpanKind.INTERNAL,
          attributes: {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': word,
            'gen_ai.tool.call.id': id,
            'pluglot.kind': kind,
            'pluglot.caller': caller.kind,
          },
        },
        around,
      );
      return {
        trace: carriedOn(span, given),
        begun: (plugin) => void span.setAttribute('pluglot.plugin', plugin).addEvent('begun'),
        ended: (outcome) => {
          if (!outcome.ok) {
            span.setAttribute('error.type', outcome.error.code);
            span.setStatus({ code: SpanStatusCode.ERROR, message: outcome.error.code });
          }
          span.end();
        },
      };
    },
  };
}

/** That of the span where there is one; else what came goes on as it is. */
function carriedOn(span: Span, given: Trace | undefined): Trace {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  if (traceId === NO_TRACE) return given ?? nextTrace();
  const flags = traceFlags.toString(16).padStart(2, '0');
  const own = traceOf(`00-${traceId}-${spanId}-${flags}`, traceState?.serialize());
  if (own === undefined || own.traceparent === given?.traceparent) return given ?? nextTrace();
  return own;
}

function contextOf({ traceparent, tracestate }: Trace, read: (text: string) => TraceState): SpanContext {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-');
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(tracestate !== undefined && { traceState: read(tracestate) }),
  };
}
