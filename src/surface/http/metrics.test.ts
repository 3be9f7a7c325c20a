import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ask } from '../../../test/support/surface/http-client.ts';
import { testServer } from '../../../test/support/surface/test-runtime.ts';
import { MetricWriter } from './metrics.ts';

const LINE =
  /^[a-z_:][\w:]*(\{([a-z_]\w*="([^"\\\n]|\\["\\n])*",?)*\})? (-?\d+(\.\d+)?(e[+-]?\d+)?|NaN|[+-]Inf)$/i;

test('labels of any text stay within their quotes', () => {
  fc.assert(
    fc.property(fc.string(), fc.double(), (text, value) => {
      const writer = new MetricWriter();
      writer.sample('a_total', { b: text, c: text }, value);
      const lines = writer.text().split('\n');
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(LINE);
    }),
  );
});

test('a histogram adds up', () => {
  const writer = new MetricWriter();
  writer.histogram('h', { a: 'x' }, [1, 2], [3, 0, 4], 9.5);
  expect(writer.text()).toBe(
    [
      'h_bucket{a="x",le="1"} 3',
      'h_bucket{a="x",le="2"} 3',
      'h_bucket{a="x",le="+Inf"} 7',
      'h_sum{a="x"} 9.5',
      'h_count{a="x"} 7',
      '',
    ].join('\n'),
  );
});

test('what was done can be read from it', async () => {
  const { server, api } = await testServer();
  await api.call('greet', { name: 'x' });
  await api.call('fail');
  await api.call('nothing "\n');
  await ask(server.url, '/api/v1/tools');
  await ask(server.url, '/evil/1');
  await ask(server.url, '/evil/2', { method: 'PATCH' });
  const { text, headers } = await ask(server.url, '/metrics');
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = text.trimEnd().split('\n');
  const samples = lines.filter((line) => !line.startsWith('#'));
  for (const line of samples) expect(line).toMatch(LINE);
  for (const expected of [
    'pluglot_info{version="1.2.3"} 1',
    'pluglot_calls_total{plugin="greeter",tool="greeter__greet",outcome="ok"} 1',
    'pluglot_calls_total{plugin="greeter",tool="greeter__fail",outcome="INTERNAL"} 1',
    'pluglot_calls_refused_total{code="UNKNOWN_TOOL"} 1',
    'pluglot_call_duration_seconds_count{plugin="greeter"} 2',
    'pluglot_plugin_restarts_total{plugin="greeter"} 0',
    'pluglot_plugin_state{plugin="greeter",state="ready"} 1',
    'pluglot_plugin_state{plugin="greeter",state="failed"} 0',
    'pluglot_plugin_calls_waiting{plugin="greeter"} 0',
    'pluglot_http_requests_total{method="GET",route="/api/v1/tools",status="200"} 1',
    'pluglot_http_requests_total{method="GET",route="none",status="404"} 1',
    'pluglot_http_requests_total{method="other",route="none",status="404"} 1',
  ])
    expect(samples).toContain(expected);
  expect(samples.some((line) => /^process_resident_memory_bytes \d+$/.test(line))).toBe(true);
  const types = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
  expect(new Set(types).size).toBe(types.length);
});
