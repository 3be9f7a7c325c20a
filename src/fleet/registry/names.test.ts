import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Names, type NameStrategy, type Owner } from './names.ts';

test('bare while it is the only one, prefixed while it is not', () => {
  const names = new Names<string>('prefix');
  put(names, 1, 'a', ['search', 'read']);
  expect(exposed(names)).toEqual({ search: 'a.search', read: 'a.read' });
  put(names, 2, 'b', ['search']);
  expect(exposed(names)).toEqual({ a__search: 'a.search', read: 'a.read', b__search: 'b.search' });
  expect(names.shared).toEqual(['search']);
  put(names, 3, 'c', ['search']);
  names.drop('a');
  expect(exposed(names)).toEqual({ b__search: 'b.search', c__search: 'c.search' });
  names.drop('c');
  expect(exposed(names)).toEqual({ search: 'b.search' });
  expect(names.shared).toEqual([]);
});

test('a full name of one that another calls its own so is that of neither alone', () => {
  const names = new Names<string>('prefix');
  put(names, 1, 'a', ['x']);
  put(names, 2, 'b', ['a__x', 'x']);
  expect(exposed(names)).toEqual({ a__x: 'a.x', b__a__x: 'b.a__x', b__x: 'b.x' });
});

test('of two whose full names are the same the first that was known has it', () => {
  const names = new Names<string>('always-prefix');
  put(names, 2, 'a__b', ['c']);
  put(names, 1, 'a', ['b__c', 'd']);
  expect(exposed(names)).toEqual({ a__b__c: 'a.b__c', a__d: 'a.d' });
  expect(names.shared).toEqual(['a__b__c']);
  names.drop('a');
  expect(exposed(names)).toEqual({ a__b__c: 'a__b.c' });
});

test('priority: who was known first has the name, also when it comes later', () => {
  const names = new Names<string>('priority');
  put(names, 2, 'b', ['x', 'y']);
  put(names, 1, 'a', ['x']);
  expect(exposed(names)).toEqual({ x: 'a.x', y: 'b.y' });
  names.drop('a');
  expect(exposed(names)).toEqual({ x: 'b.x', y: 'b.y' });
});

test('error: who has a name keeps it, also when it tells its tools anew', () => {
  const names = new Names<string>('error');
  put(names, 2, 'b', ['x']);
  expect(names.takenBy('a', ['x', 'y']).map(({ owner }) => owner.plugin)).toEqual(['b']);
  put(names, 1, 'a', ['x', 'y']);
  put(names, 2, 'b', ['z', 'x']);
  expect(exposed(names)).toEqual({ x: 'b.x', y: 'a.y', z: 'b.z' });
});

test('a plugin that lists a tool twice has it once, and odd names are names', () => {
  const names = new Names<string>('prefix');
  put(names, 1, 'a', ['x', 'x', '__proto__', 'constructor', 'a__x']);
  expect(exposed(names)).toEqual(
    Object.fromEntries(['x', '__proto__', 'constructor', 'a__x'].map((own) => [own, `a.${own}`])),
  );
  expect(names.find('toString')).toBeUndefined();
});

const strategies: readonly NameStrategy[] = ['prefix', 'always-prefix', 'priority'];
const plugin = fc.constantFrom('a', 'b', 'a__b', 'c', 'mcp');
const tools = fc.array(fc.constantFrom('x', 'y', 'b__x', 'a__x', 'c__x', 'a__b__x', 'b__c__x'), {
  maxLength: 5,
});
const step = fc.oneof(fc.record({ plugin, tools }), fc.record({ plugin, tools: fc.constant(undefined) }));

test.for(strategies)(
  '%s: however they come and go, the names are those that a look at all of them gives',
  (strategy) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const names = new Names<string>(strategy);
        const model = new Map<string, readonly string[]>();
        for (const { plugin, tools } of steps) {
          if (tools === undefined) {
            names.drop(plugin);
            model.delete(plugin);
          } else {
            put(names, orderOf(plugin), plugin, tools);
            model.set(plugin, [...new Set(tools)]);
          }
          expect(exposed(names)).toEqual(named(strategy, model));
        }
      }),
    );
  },
);

test('the thousandth who shares a name costs no more than the third', () => {
  const names = new Names<string>('prefix');
  const started = performance.now();
  const own = Array.from({ length: 10 }, (_, index) => `tool${index}`);
  for (let index = 0; index < 3000; index++) put(names, index, `plugin${index}`, own);
  for (let index = 0; index < 3000; index++) names.drop(`plugin${index}`);
  // 30,000 names; to look at all who share one each time would be 90 million.
  expect(performance.now() - started).toBeLessThan(3000);
  expect([...names.all()]).toEqual([]);
});

function put(names: Names<string>, order: number, plugin: string, tools: readonly string[]): void {
  const owner: Owner = { plugin, order, prefix: `${plugin}__` };
  names.replace(
    owner,
    tools.map((own) => ({ own, item: `${plugin}.${own}` })),
  );
}

function exposed(names: Names<string>): Record<string, string> {
  return Object.fromEntries([...names.all()].map((name) => [name, names.find(name)?.item ?? '']));
}

function orderOf(plugin: string): number {
  return ['a', 'b', 'a__b', 'c', 'mcp'].indexOf(plugin);
}

/** All of it anew, in the plainest way. */
function named(
  strategy: NameStrategy,
  model: ReadonlyMap<string, readonly string[]>,
): Record<string, string> {
  const all = [...model]
    .toSorted(([one], [other]) => orderOf(one) - orderOf(other))
    .flatMap(([plugin, tools]) => tools.map((own) => ({ plugin, own, full: `${plugin}__${own}` })));
  const wants = (name: string) =>
    new Set(
      all
        .filter(({ own, full }) => own === name || (strategy === 'prefix' && full === name))
        .map((one) => one.plugin),
    ).size;
  const names = new Map<string, string>();
  for (const { plugin, own, full } of all) {
    const isFull = strategy === 'always-prefix' || (strategy === 'prefix' && wants(own) > 1);
    const name = isFull ? full : own;
    if (!names.has(name)) names.set(name, `${plugin}.${own}`);
  }
  return Object.fromEntries(names);
}
