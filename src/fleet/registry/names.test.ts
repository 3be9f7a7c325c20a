import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { isPluginName } from '../../definition/plugin-spec.ts';
import { Names } from './exposed-plugins.ts';

test('each is called by its plugin and its own name, whoever else is there', () => {
  const names = new Names<string>();
  put(names, 1, 'a', ['search', 'read']);
  const before = [...names.all()];
  put(names, 2, 'b', ['search']);
  expect([...names.all()]).toEqual([...before, 'b__search']);
  expect(names.find('b__search')?.item).toBe('b.search');
  expect(names.find('mcp__b__search')?.item).toBe('b.search');
  names.drop('a');
  expect([...names.all()]).toEqual(['b__search']);
});

test('its own name is enough while no other plugin has one of that name', () => {
  const names = new Names<string>();
  put(names, 2, 'b', ['search']);
  expect(names.find('search')?.item).toBe('b.search');
  put(names, 1, 'a', ['search', 'read']);
  expect(names.find('search')).toBeUndefined();
  expect(names.having('search').map(({ name }) => name)).toEqual(['a__search', 'b__search']);
  expect(names.find('read')?.item).toBe('a.read');
  names.drop('a');
  expect(names.find('search')?.item).toBe('b.search');
  expect(names.find('read')).toBeUndefined();
});

test('what reads as a tool of one plugin is never one of another', () => {
  const names = new Names<string>();
  put(names, 1, 'evil', ['gh__read', 'mcp__gh__read']);
  expect(names.find('gh__read')).toBeUndefined();
  expect(names.find('mcp__gh__read')).toBeUndefined();
  expect(names.find('evil__gh__read')?.item).toBe('evil.gh__read');
  put(names, 2, 'gh', ['read']);
  expect(names.find('gh__read')?.item).toBe('gh.read');
  put(names, 3, 'mcp', ['gh__read', 'add']);
  expect(names.find('mcp__gh__read')?.item).toBe('mcp.gh__read');
  expect(names.find('mcp__add')?.item).toBe('mcp.add');
});

test('no plugin takes a name that another one has for clients, whether or not that one is there', () => {
  const names = new Names<string>();
  put(names, 1, 'gh.x', ['echo']);
  const { clientName = '' } = names.findOwn('gh.x', 'echo') ?? {};
  const own = clientName.replace(/^gh_x_+/, '');
  put(names, 2, 'gh_x', [own, clientName]);
  expect(names.find(clientName)?.item).toBe('gh.x.echo');
  for (const { name, item, clientName: mapped } of names.of('gh_x')) {
    expect(names.find(name)?.item).toBe(item);
    expect(mapped).not.toBe(clientName);
  }
  names.drop('gh.x');
  expect(names.find(clientName)).toBeUndefined();
});

test('a plugin that lists a tool twice has it once, and odd names are names', () => {
  const names = new Names<string>();
  put(names, 1, 'a', ['x', 'x', '__proto__', 'constructor', 'a__x', '']);
  expect([...names.all()]).toEqual(['a__x', 'a____proto__', 'a__constructor', 'a__a__x', 'a__']);
  expect(names.find('toString')).toBeUndefined();
  expect(names.find('a____proto__')?.item).toBe('a.__proto__');
});

const letters = fc.constantFrom('a', 'b', 'A', 'é', '.', '-', '_', '7', '漢');
const pluginName = fc
  .array(letters, { minLength: 1, maxLength: 64 })
  .map((all) => all.join(''))
  .filter(isPluginName);
const toolName = fc.oneof(
  fc
    .array(fc.oneof(letters, fc.constantFrom('/', ' ', '__', '😀', '\uD83D')), { maxLength: 6 })
    .map((all) => all.join('')),
  fc.string({ unit: 'binary', maxLength: 300 }),
);
const plugins = fc.dictionary(pluginName, fc.array(toolName, { maxLength: 6 }), {
  maxKeys: 6,
  noNullPrototype: true,
});

test('any plugins and tools have distinct names that clients take, which lead back, and are the same alone', () => {
  fc.assert(
    fc.property(plugins, (all) => {
      const names = new Names<string>();
      for (const [index, [plugin, tools]] of Object.entries(all).entries()) put(names, index, plugin, tools);
      const entries = Object.keys(all).flatMap((plugin) => [...names.of(plugin)]);
      for (const { plugin, own, name, clientName, item } of entries) {
        expect(clientName).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(names.find(clientName)?.item).toBe(item);
        expect(names.find(name)?.item).toBe(item);
        const alone = new Names<string>();
        put(alone, 0, plugin, [own]);
        expect(alone.findOwn(plugin, own)?.clientName).toBe(clientName);
      }
      for (const each of ['name', 'clientName'] as const)
        expect(new Set(entries.map((entry) => entry[each])).size).toBe(entries.length);
    }),
    { numRuns: runs(200) },
  );
});

test('however they come and go, what is left is found, and nothing else', () => {
  const few = fc.constantFrom('a', 'b', 'c');
  const tools = fc.option(fc.array(fc.constantFrom('x', 'y', 'b__x', 'a.b'), { maxLength: 4 }), {
    nil: undefined,
  });
  fc.assert(
    fc.property(fc.array(fc.record({ plugin: few, tools }), { maxLength: 20 }), (steps) => {
      const names = new Names<string>();
      const model = new Map<string, readonly string[]>();
      for (const { plugin, tools } of steps) {
        if (tools === undefined) names.drop(plugin);
        else put(names, 0, plugin, tools);
        model.delete(plugin);
        if (tools !== undefined) model.set(plugin, [...new Set(tools)]);
        const all = [...model].flatMap(([owner, own]) => own.map((tool) => `${owner}__${tool}`));
        expect([...names.all()].toSorted()).toEqual(all.toSorted());
        for (const own of ['x', 'y', 'a.b']) {
          const having = [...model]
            .filter(([, tools]) => tools.includes(own))
            .map(([owner]) => `${owner}.${own}`);
          expect(
            names
              .having(own)
              .map(({ item }) => item)
              .toSorted(),
          ).toEqual(having.toSorted());
          expect(names.find(own)?.item).toBe(having.length === 1 ? having[0] : undefined);
        }
      }
    }),
  );
});

function put(names: Names<string>, order: number, plugin: string, tools: readonly string[]): void {
  names.replace(
    { plugin, order },
    tools.map((own) => ({ own, item: `${plugin}.${own}` })),
  );
}
