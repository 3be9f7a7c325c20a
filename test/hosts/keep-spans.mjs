// An SDK of OpenTelemetry as somebody gives it to `pluglot up`: NODE_OPTIONS=--import …/keep-spans.mjs. Each span is a line of SPANS_FILE.
import { appendFileSync } from 'node:fs';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';

const file = process.env['SPANS_FILE'] ?? '/dev/null';
const exporter = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();

setInterval(() => {
  for (const span of exporter.getFinishedSpans()) {
    const { name, attributes, status, parentSpanContext } = span;
    const { traceId, spanId } = span.spanContext();
    const kept = { name, attributes, status, traceId, spanId, parent: parentSpanContext?.spanId };
    appendFileSync(file, `${JSON.stringify(kept)}\n`);
  }
  exporter.reset();
}, 20).unref();
