// Plugins of a fake world, asked through what author ends are given.
import type { JsonObject } from '../../../src/base/json.ts';
import type { RunningCall, ServedPort } from '../../../src/definition/plugin-port.ts';
import type { Answer, CallEvent, CallRequest, CallSink } from '../../../src/definition/outcome.ts';
import type { LogEntry } from '../../../src/definition/tool.ts';
import { pluginBackend } from '../../../src/fleet/bridge/plugin-backend.ts';
import { fakeWorld, type FakeWorld, type WorldOptions } from './fake-world.ts';

/** Plugins of a fake world behind the port of the author ends: the one of the options, and more like it. */
export async function bridge(
  options: WorldOptions = {},
  more: readonly string[] = [],
): Promise<{ world: FakeWorld; backend: ServedPort; logged: readonly LogEntry[] }> {
  const world = fakeWorld(options);
  for (const name of more) world.fleet.add({ ...world.plugin.spec, name, dialect: 'yams' });
  for (const plugin of world.fleet.plugins) await plugin.start();
  const logged: LogEntry[] = [];
  const backend = pluginBackend(world.fleet.plugins, {
    together: { name: 'pluglot', version: '0' },
    clock: world.clock,
    log: (entry) => logged.push(entry),
  });
  return { world, backend, logged };
}

interface Heard {
  readonly events: readonly CallEvent[];
  readonly answer: Promise<Answer>;
  cancel(reason: string): void;
}

export function begin(backend: ServedPort, request: Partial<CallRequest> & { readonly tool: string }): Heard {
  return hear((sink) => backend.call({ args: {}, dialect: 'mcp', timeoutMs: Infinity, ...request }, sink));
}

export function say(backend: ServedPort, content: string): Heard {
  return hear((sink) => {
    if (backend.talk === undefined) throw new Error('It does not talk.');
    return backend.talk.input(content, sink, { dialect: 'gassist', timeoutMs: 29_000 });
  });
}

/** What is asked of a facet, as a call whose data says it again. */
export function asked(tool: string, request: object): CallRequest {
  // What is asked in these tests is made of JSON.
  return { tool, args: { asked: request as JsonObject }, timeoutMs: 1000 };
}

export function hear(start: (sink: CallSink) => RunningCall | undefined): Heard {
  const events: CallEvent[] = [];
  let cancel: (reason: string) => void = () => {};
  const answer = new Promise<Answer>((resolve) => {
    const running = start({ event: (event) => events.push(event), end: resolve });
    cancel = (reason) => running?.cancel(reason);
  });
  return { events, answer, cancel: (reason) => cancel(reason) };
}
