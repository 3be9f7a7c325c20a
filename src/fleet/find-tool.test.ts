import { expect, test } from 'vitest';
import { PluglotError } from '../base/error.ts';
import { fakeWorld } from '../../test/support/fake-world.ts';
import type { Tool } from '../definition/tool.ts';
import type { FakeProcess, WorldOptions } from '../../test/support/fake-world.ts';

test('a tool that one plugin has is found by its name', async () => {
  const { fleet } = manyPlugins({ a: ['one'], b: ['two'] });
  const { plugin, tool } = await fleet.findTool('two');
  expect([plugin.name, tool.name]).toEqual(['b', 'two']);
});

test('a tool that several have is asked for by the whole name', async () => {
  const { fleet } = manyPlugins({ a: ['same'], b: ['same'] });
  await expect(fleet.findTool('same')).rejects.toMatchObject({
    code: 'UNKNOWN_TOOL',
    message: 'Several plugins have a tool "same": name it as one of "a__same", "b__same".',
  });
  expect((await fleet.findTool('b__same')).plugin.name).toBe('b');
  expect((await fleet.findTool('mcp__b__same')).plugin.name).toBe('b');
});

test('a plugin whose name could not be told from that of its tool is refused', () => {
  for (const name of ['a__b', 'a_', 'a___b'])
    expect(() => manyPlugins({ [name]: ['c'] })).toThrow(/"__" and a "_" at the end divide plugin__tool/);
});

test('lazy plugins are started only when the others do not have it', async () => {
  const { fleet, started } = manyPlugins({ a: ['one'], lazy: ['two'] });
  await fleet.findTool('one');
  expect(started()).toEqual(['a']);
  expect((await fleet.findTool('two')).plugin.name).toBe('lazy');
  expect(started()).toEqual(['a', 'lazy']);
});

test('a lazy plugin that is named is the only one that is started', async () => {
  const { fleet, started } = manyPlugins({ a: ['one'], lazy: ['two'] });
  await fleet.findTool('lazy__two');
  expect(started()).toEqual(['lazy']);
});

test('a name that is mistyped gets near ones, and plugins that could not be asked are named', async () => {
  const { fleet } = manyPlugins({ a: ['weather'], broken: 'exits' });
  await expect(fleet.findTool('wether')).rejects.toMatchObject({
    code: 'UNKNOWN_TOOL',
    message:
      'No plugin has a tool "wether". Did you mean "a__weather"? Could not be asked: broken (Plugin "broken" exited with code 1.).',
  });
  await expect(fleet.findTool('a__wether')).rejects.toMatchObject({
    message: expect.stringContaining('Did you mean "a__weather"?') as string,
  });
  await expect(fleet.findTool('broken__x')).rejects.toMatchObject({ code: 'PLUGIN_EXITED' });
});

test('a broken plugin does not keep others from being found', async () => {
  const { fleet } = manyPlugins({ broken: 'exits', a: ['one'] });
  expect((await fleet.findTool('one')).plugin.name).toBe('a');
});

test('a plugin that has failed is not started for every name', async () => {
  const { fleet, started } = manyPlugins({ broken: 'exits', a: ['one'] });
  await fleet.start();
  await fleet.findTool('one');
  await expect(fleet.findTool('broken__x')).rejects.toMatchObject({ code: 'PLUGIN_EXITED' });
  expect(started().filter((name) => name === 'broken')).toHaveLength(1);
});

test('where the dialect has no list of tools any name of a named plugin is one', async () => {
  const { fleet } = manyPlugins({ a: ['one'], b: ['two'] }, { traits: { unlistedTools: true } });
  expect((await fleet.findTool('a__whatever')).tool).toEqual({ name: 'whatever' });
  await expect(fleet.findTool('whatever')).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
});

test('a long reason is cut at a word, and has no second line', async () => {
  const { fleet } = manyPlugins({ a: ['one'], broken: 'exits' });
  const reason = new PluglotError('DIALECT_UNKNOWN', `${'word '.repeat(60)}\nsecond`);
  fleet.plugin('broken').start = () => Promise.reject(reason);
  const words = Array<string>(40).fill('word').join(' ');
  await expect(fleet.findTool('other')).rejects.toThrow(`Could not be asked: broken (${words} …).`);
});

function manyPlugins(plugins: Record<string, readonly string[] | 'exits'>, options: WorldOptions = {}) {
  const started: string[] = [];
  const [first = '', ...others] = Object.keys(plugins);
  const onStart = (process: FakeProcess) => {
    const tools = plugins[process.pluginName];
    started.push(process.pluginName);
    if (typeof tools === 'string' || tools === undefined) process.exit(1);
    else process.introduce(tools.map((name): Tool => ({ name })));
  };
  const specOf = (name: string) => ({ name, lazy: name === 'lazy' });
  const { fleet } = fakeWorld({ ...options, onStart, spec: specOf(first) });
  for (const name of others)
    fleet.add({ dialect: 'yams', start: { kind: 'program', command: 'fake' }, ...specOf(name) });
  return { fleet, started: () => started };
}
