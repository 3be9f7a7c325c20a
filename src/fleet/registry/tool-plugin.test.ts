// Plugins that are objects of the specification's shape.
import { expect, test } from 'vitest';
import { settled } from '../../../test/support/fleet/fake-world.ts';
import { openGate, testRegistry } from '../../../test/support/fleet/registry.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ToolPlugin, UserCommand } from './tool-plugin.ts';

/** The specification's own example, in our words. */
class ExamplePlugin implements ToolPlugin {
  readonly life: string[] = [];
  #shout = false;

  get name(): string {
    return 'example';
  }

  initialize(config?: JsonObject): void {
    this.life.push(`initialize ${JSON.stringify(config)}`);
    this.#shout = config?.['shout'] === true;
  }

  shutdown(): void {
    this.life.push('shutdown');
  }

  getFunctionDeclarations() {
    return [
      {
        name: this.#shout ? 'shout' : 'example_tool',
        description: 'An example tool that echoes input',
        parametersJsonSchema: {
          type: 'object',
          properties: { message: { type: 'string', description: 'Message to echo' } },
          required: ['message'],
        },
      },
    ];
  }

  getExecutors() {
    const echo = ({ message }: JsonObject) => ({
      echo: message as string,
      length: (message as string).length,
    });
    return { example_tool: echo, shout: echo, mood: () => 'fine' };
  }

  getSystemInstructions(): string | undefined {
    return `You have access to ${this.#shout ? 'shout' : 'example_tool'}.`;
  }

  getAutoApprovedTools(): readonly string[] {
    return ['example_tool'].filter(() => !this.#shout);
  }

  getUserCommands(): readonly UserCommand[] {
    return [
      {
        name: 'mood',
        description: 'How it is.',
        parameters: [{ name: 'of' }],
        complete: (parameter, typed) => [`${parameter}=${typed}`],
      },
    ];
  }

  describeCall(tool: string, { message }: JsonObject) {
    return { summary: `${tool} says ${JSON.stringify(message)}` };
  }
}

test('it is exposed, called and unexposed like any other', async () => {
  const { registry } = testRegistry();
  const plugin = new ExamplePlugin();
  registry.registerPlugin(plugin);
  await registry.exposeAll();
  registry.useGate(openGate(registry));
  expect(registry.getExposedDeclarations()).toMatchObject([
    {
      name: 'example__example_tool',
      description: 'An example tool that echoes input',
      inputSchema: { required: ['message'] },
    },
  ]);
  const executor = registry.getExposedExecutors().get('example__example_tool');
  expect(await executor?.({ message: 'hello' })).toMatchObject({
    ok: true,
    data: { echo: 'hello', length: 5 },
  });
  expect(await executor?.({})).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
  expect(registry.getSystemInstructions()).toBe('# example\n\nYou have access to example_tool.');
  expect(registry.getAutoApprovedTools()).toEqual(['example__example_tool']);
  expect(registry.getExposedUserCommands()).toEqual([
    { name: 'example__mood', description: 'How it is.', parameters: [{ name: 'of' }], shareWithModel: false },
  ]);
  expect(await registry.resolveCommand('mood')?.call({})).toMatchObject({ ok: true, text: 'fine' });
  expect(await registry.resolveCommand('mood')?.complete('of', 'y')).toEqual(['of=y']);
  expect(await registry.resolveTool('example_tool')?.describe?.({ message: 'a' })).toEqual({
    summary: 'example_tool says "a"',
  });
  await registry.unexposeAll();
  expect(plugin.life).toEqual(['initialize {}', 'shutdown']);
});

test('what it declares goes by its configuration', async () => {
  const { registry } = testRegistry();
  const plugin = new ExamplePlugin();
  registry.registerPlugin(plugin);
  await registry.exposeTool('example');
  await registry.exposeTool('example', { shout: true });
  expect(registry.getExposedDeclarations().map(({ name }) => name)).toEqual(['example__shout']);
  expect(registry.getAutoApprovedTools()).toEqual([]);
  expect(plugin.life).toEqual(['initialize {}', 'shutdown', 'initialize {"shout":true}']);
});

const sample: ToolPlugin = { name: 'sample', getFunctionDeclarations: () => [], getExecutors: () => ({}) };

test.for<[string, Partial<ToolPlugin>, string]>([
  ['declares what it cannot do', { getFunctionDeclarations: () => [{ name: 'a' }] }, 'no executor for it'],
  [
    'declares something twice',
    { getFunctionDeclarations: () => [{ name: 'a' }, { name: 'a' }], getExecutors: () => ({ a: () => 1 }) },
    'it declares "a" twice',
  ],
  [
    'has a schema without sense',
    {
      getFunctionDeclarations: () => [{ name: 'a', parametersJsonSchema: { type: 'string' } }],
      getExecutors: () => ({ a: () => 1 }),
    },
    'tools.a.input is not a usable schema',
  ],
  ['approves what it has not', { getAutoApprovedTools: () => ['b'] }, 'autoApprove names "b"'],
  [
    'fails when it is asked',
    {
      getFunctionDeclarations: () => {
        throw new Error('not now');
      },
    },
    'asked what it is, it failed: not now',
  ],
  [
    'gives something else',
    // As authors who write JavaScript may.
    { getFunctionDeclarations: () => undefined as never },
    'asked what it is, it failed',
  ],
])('one that %s is told, and was shut down', async ([, parts, why]) => {
  const { registry } = testRegistry();
  let isDown = false;
  registry.registerPlugin({ ...sample, ...parts, shutdown: () => void (isDown = true) });
  await expect(registry.exposeTool('sample')).rejects.toMatchObject({
    code: 'DEFINITION_INVALID',
    message: expect.stringContaining(why) as unknown,
  });
  expect(isDown).toBe(true);
});

test('an initialize that throws or hangs is told; a shutdown that hangs then too', async () => {
  const { registry, world, logged } = testRegistry();
  registry.registerPlugin({
    ...sample,
    name: 'throws',
    initialize: () => {
      throw new Error('no');
    },
    shutdown: () => {
      throw new Error('no again');
    },
  });
  registry.registerPlugin({
    ...sample,
    name: 'hangs',
    initialize: () => new Promise(() => {}),
    shutdown: () => new Promise(() => {}),
  });
  const done = registry.exposeAll();
  await settled();
  world.clock.advance(30_000);
  await settled();
  world.clock.advance(5000);
  expect((await done).map(({ plugin, error }) => [plugin, error.code, error.message])).toEqual([
    ['throws', 'START_FAILED', 'Plugin "throws" could not be initialised: no'],
    [
      'hangs',
      'START_TIMEOUT',
      'Plugin "hangs" was not set up within 30000 ms. Give it more time: limits.startMs.',
    ],
  ]);
  expect(logged).toEqual([
    'throws: The shutdown of plugin "throws" failed: no again',
    'hangs: The shutdown of plugin "hangs" takes longer than 5000 ms.',
  ]);
});

test('the end of the registry gives an initialize up', async () => {
  const { registry } = testRegistry();
  registry.registerPlugin({ ...sample, initialize: () => new Promise(() => {}) });
  const exposed = expect(registry.exposeTool('sample')).rejects.toMatchObject({ code: 'PLUGIN_STOPPED' });
  await settled();
  await registry.close();
  await exposed;
});
