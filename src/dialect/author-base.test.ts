// Where a facet has to be called like a tool, a tool of that name would hide it: the author is told, and nothing is served.
import { expect, test } from 'vitest';
import { ask, servedToRawHost } from '../../test/support/dialect/author-end.ts';
import { scriptedBackend, type BackendScript } from '../../test/support/definition/scripted-backend.ts';
import { authorDialects } from './authors.ts';

const facets = {
  extractor: {
    supports: () => Promise.reject(new Error()),
    extract: () => ({ cancel: () => 'free' as const }),
  },
  planner: { createPlan: () => ({ cancel: () => 'free' as const }) },
} satisfies BackendScript;

test.each([
  ['gevals', 'create_plan'],
  ['mcp', 'create_plan'],
  ['planner', 'extract'],
  ['yams', 'create_plan'],
] as const)('%s: a tool that is called %s', async (dialect, name) => {
  const { served, printed, backend } = await serve(dialect, name);
  expect(await served.over).toEqual({ exitCode: 1 });
  expect(printed).toEqual([expect.stringContaining(`has a tool "${name}"`)]);
  expect(backend.tornDown()).toBe(1);
});

test('a facet for which the dialect has words of its own is hidden by nothing', async () => {
  const yams = await serve('yams', 'extract');
  expect(await ask(yams.raw, 1, 'plugin.init', {})).toMatchObject({ result: { status: 'initialized' } });
  const planner = await serve('planner', 'create_plan');
  expect(await ask(planner.raw, 1, 'rpc.discover')).toMatchObject({
    result: { methods: expect.arrayContaining(['create_plan']) as unknown },
  });
  expect([...yams.printed, ...planner.printed]).toEqual([]);
});

async function serve(dialect: 'gevals' | 'mcp' | 'planner' | 'yams', name: string) {
  const author = await authorDialects[dialect]?.();
  if (author === undefined) throw new Error(`${dialect} has no author end.`);
  const backend = scriptedBackend({ ...facets, manifest: { tools: [{ name }] } });
  return { backend, ...servedToRawHost(author, 'lines', backend) };
}
