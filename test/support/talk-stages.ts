// The stages of the contract of conversations.
import type { Registry } from '../../src/fleet/registry/registry.ts';
import { settled, type FakeWorld } from './fake-world.ts';
import { testRegistry } from './registry.ts';
import type { StageLimits, TalkStage } from './talk-contract.ts';

/** The tool that begins a conversation. */
const OPEN = 'open';

interface RegistryStage extends TalkStage {
  readonly registry: Registry;
  readonly world: FakeWorld;
}

export async function processStage(limits: StageLimits = {}): Promise<RegistryStage> {
  const { registry, world } = testRegistry(
    {},
    { hasTalk: true, cancel: 'free', limits, tools: [{ name: OPEN }] },
  );
  registry.registerPlugin(world.plugin);
  await registry.exposeAll();
  const call = async () => {
    await settled();
    return world.process.call;
  };
  return {
    registry,
    world,
    talk: (options) => world.plugin.talk(OPEN, {}, options),
    get openings() {
      return world.process.calls.filter(({ request }) => request.tool === OPEN).length;
    },
    get heard() {
      return world.process.inputs;
    },
    async stream(text) {
      (await call()).stream(text);
    },
    async answer(text, how) {
      (await call()).end({ ok: true, text, ...how });
      await settled();
    },
    async fail(message) {
      (await call()).end({ ok: false, error: { code: 'TOOL_FAILED', message } });
      await settled();
    },
    async stop() {
      await settled();
      const stopped = registry.unexposeAll();
      world.process.exit(0);
      await stopped;
    },
    advance: (ms) => world.advance(ms, 500),
  };
}
