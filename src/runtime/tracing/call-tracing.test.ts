import {
  context,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanContext,
  type SpanOptions,
  type SpanStatus,
} from '@opentelemetry/api';
import { expect, onTestFinished, test } from 'vitest';
import { gateWorld, model, user } from '../../../test/support/gate/gate.ts';
import { traceIdOf, traceOf } from '../../base/trace.ts';
import { callTracing } from './call-tracing.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

test('without an SDK what came is carried on as it is, and what came without gets a trace', async () => {
  const { gate, source } = gateWorld();
  gate.observe(await callTracing());
  await gate.call('echo', {}, { caller: user, trace: { traceparent, tracestate: 'a=1' } });
  await gate.call('echo', {}, { caller: user });
  const [first, second] = source.made.map(({ options }) => options?.trace);
  expect(first).toEqual({ traceparent, tracestate: 'a=1' });
  expect(traceOf(second?.traceparent)).toBeDefined();
  expect(second && traceIdOf(second)).not.toBe('4bf92f3577b34da6a3ce929d0e0e4736');
});

test('with an SDK every call is a span: below what came, named, and with its end', async () => {
  const spans = recordSpans();
  const { gate, source } = gateWorld();
  gate.observe(await callTracing());
  const call = gate.call('echo', {}, { caller: model, trace: { traceparent } });
  await call;
  await gate.call('nothing', {}, { caller: model });
  expect(spans).toMatchObject([
    {
      name: 'execute_tool echo',
      parent: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isRemote: true },
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'echo',
        'gen_ai.tool.call.id': call.id,
        'pluglot.caller': 'model',
        'pluglot.plugin': 'plugin',
      },
      status: undefined,
      isEnded: true,
    },
    {
      name: 'execute_tool nothing',
      parent: undefined,
      attributes: { 'error.type': 'UNKNOWN_TOOL' },
      status: { code: SpanStatusCode.ERROR },
      isEnded: true,
    },
  ]);
  // The plugin is below the span of the call.
  expect(source.made[0]?.options?.trace).toEqual({
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000001-01',
  });
});

interface Recorded {
  readonly name: string;
  readonly parent: SpanContext | undefined;
  readonly attributes: Record<string, unknown>;
  status: SpanStatus | undefined;
  isEnded: boolean;
}

/** The smallest SDK there can be. */
function recordSpans(): Recorded[] {
  const spans: Recorded[] = [];
  const startSpan = (name: string, options: SpanOptions = {}, around: Context = context.active()): Span => {
    const parent = trace.getSpanContext(around);
    const recorded: Recorded = {
      name,
      parent,
      attributes: { ...options.attributes },
      status: undefined,
      isEnded: false,
    };
    spans.push(recorded);
    const own: SpanContext = {
      traceId: parent?.traceId ?? '0af7651916cd43dd8448eb211c80319c',
      spanId: String(spans.length).padStart(16, '0'),
      traceFlags: 1,
    };
    const span: Span = {
      spanContext: () => own,
      setAttribute: (key, value) => ((recorded.attributes[key] = value), span),
      setAttributes: () => span,
      addEvent: () => span,
      addLink: () => span,
      addLinks: () => span,
      setStatus: (status) => ((recorded.status = status), span),
      updateName: () => span,
      end: () => void (recorded.isEnded = true),
      isRecording: () => true,
      recordException: () => {},
    };
    return span;
  };
  const startActiveSpan = () => {
    throw new Error('Nobody asks for it.');
  };
  expect(trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan }) })).toBe(true);
  onTestFinished(() => trace.disable());
  expect(trace.getSpanContext(ROOT_CONTEXT)).toBeUndefined();
  return spans;
}
