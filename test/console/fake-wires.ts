// The traffic of the fake API, and the logs of its plugins.
import type { TrafficEntry } from '../../src/fleet/recording/traffic.ts';

const wires = [
  ['gpu-helper', 'execute'],
  ['documents', 'extractor.extract'],
  ['cluster-checks', 'execute'],
  ['planner', 'create_plan'],
  ['github', 'tools/call'],
] as const;

/** Requests and responses in turn, of every dialect; now and then a failure or a notification. */
export function message(seq: number): TrafficEntry {
  const pair = Math.floor((seq - 1) / 2);
  const [plugin, method] = wires[pair % wires.length] ?? wires[0];
  const at = Date.now();
  if (seq % 2 === 1) {
    const body = {
      jsonrpc: '2.0',
      id: pair,
      method,
      params: { name: 'echo', arguments: { text: `message ${pair}`, list: [1, 2, 3] } },
    };
    const text = JSON.stringify(body);
    return { seq, at, plugin, from: 'host', kind: 'request', method, id: pair, size: text.length, text };
  }
  const isFailure = pair % 17 === 5;
  const text = JSON.stringify({
    jsonrpc: '2.0',
    id: pair,
    ...(isFailure
      ? { error: { code: -32_000, message: 'It did not work.' } }
      : { result: { content: [{ type: 'text', text: `message ${pair}` }] } }),
  });
  return {
    seq,
    at: at + 3,
    plugin,
    from: 'plugin',
    kind: isFailure ? 'failure' : 'success',
    id: pair,
    size: text.length,
    text,
  };
}

export function ping(seq: number): TrafficEntry {
  const text = JSON.stringify({ jsonrpc: '2.0', method: 'ping' });
  return {
    seq,
    at: Date.now(),
    plugin: 'gpu-helper',
    from: 'host',
    kind: 'notification',
    method: 'ping',
    size: text.length,
    text,
  };
}

export function logEntry(name: string, index: number) {
  const sources = ['host', 'plugin', 'stderr'] as const;
  const levels = ['info', 'debug', 'warn', 'error'] as const;
  return {
    at: Date.now() - (12 - index) * 1370,
    source: sources[index % 3],
    level: levels[index % 4],
    message:
      index === 0
        ? `${name} was started`
        : index % 3 === 2
          ? `(node:4242) warning ${index}: this is experimental`
          : `request ${index} took ${index * 3} ms`,
  };
}
