// The stages of the contract of conversations: a plugin with a process, and one in this process.
import type { CallOptions } from '../../../src/definition/call.ts';
import { definePlugin } from '../../../src/definition/define-plugin.ts';
import type { HandlerContext } from '../../../src/definition/definition.ts';
import { result } from '../../../src/definition/outcome.ts';
import type { Talk } from '../../../src/fleet/plugin/talk.ts';
import type { Registry } from '../../../src/fleet/registry/registry.ts';
import { settled, type FakeWorld } from './fake-world.ts';
import { testRegistry } from './registry.ts';
import type { StageLimits, TalkStage } from './talk-contract.ts';

/** The tool that begins a conversation. */
export const OPEN = 'open';

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

export async function definitionStage(limits: StageLimits = {}): Promise<RegistryStage> {
  const { registry, world } = testRegistry({ limits });
  const heard: string[] = [];
  let openings = 0;
  let last: Work | undefined;
  const work = (context: HandlerContext) =>
    new Promise((resolve, reject) => {
      last = { context, resolve, reject };
    });
  registry.registerPlugin(
    definePlugin({
      name: 'talker',
      version: '1',
      tools: {
        [OPEN]: {
          handler: (_args, context) => {
            openings += 1;
            return work(context);
          },
        },
      },
      onInput(content, context) {
        heard.push(content);
        return work(context);
      },
    }),
  );
  await registry.exposeAll();
  const asked = async () => {
    await settled();
    if (last === undefined) throw new Error('The plugin was asked nothing yet.');
    return last;
  };
  return {
    registry,
    world,
    talk: talkOf(registry),
    get openings() {
      return openings;
    },
    heard,
    async stream(text) {
      (await asked()).context.stream(text);
    },
    async answer(text, how) {
      (await asked()).resolve(result({ text, ...how }));
      await settled();
    },
    async fail(message) {
      (await asked()).reject(new Error(message));
      await settled();
    },
    async stop() {
      await settled();
      await registry.unexposeAll();
    },
    advance: (ms) => world.advance(ms, 500),
  };
}

interface Work {
  readonly context: HandlerContext;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

function talkOf(registry: Registry): (options?: CallOptions) => Talk {
  return (options) => {
    const talk = registry.resolveTool(OPEN)?.talk?.({}, options);
    if (talk === undefined) throw new Error('It does not talk.');
    return talk;
  };
}
