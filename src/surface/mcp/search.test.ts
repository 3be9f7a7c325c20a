import fc from 'fast-check';
import { expect, it } from 'vitest';
import { search, searchResult } from './search.ts';
import type { OfferedTool } from './view.ts';

const offered = (name: string, description = '', plugin = 'p'): OfferedTool => ({
  name,
  plugin,
  tool: { name, description, inputSchema: { type: 'object', properties: { city: {} } } },
});
const tools = [
  offered('get_weather', 'Tells the weather of a place.'),
  offered('set_alarm', 'Sets an alarm, whatever the weather.'),
  offered('list_issues', 'Issues of a repository.', 'github'),
];
const namesFor = (query: string) => search(tools, query).map(({ name }) => name);

it('a name counts more than a description', () => {
  expect(namesFor('weather')).toEqual(['get_weather', 'set_alarm']);
});

it('a whole name comes first, a plugin and a parameter are found, and what nobody has is not', () => {
  expect(namesFor('set_alarm')[0]).toBe('set_alarm');
  expect(namesFor('GitHub')).toEqual(['list_issues']);
  expect(namesFor('city')).toHaveLength(3);
  expect(namesFor('zebra')).toEqual([]);
  expect(namesFor('')).toHaveLength(3);
});

it('gives at most as many as are asked for, and never more than fifty', () => {
  const many = Array.from({ length: 200 }, (_, n) => offered(`tool_${n}`));
  const found = (limit: unknown) =>
    (
      searchResult(many, { query: 'tool', limit: limit as number })['structuredContent'] as {
        tools: unknown[];
      }
    ).tools.length;
  expect([found(3), found(undefined), found(1000), found(-1), found('x')]).toEqual([3, 10, 50, 10, 10]);
});

it('takes any query', () => {
  fc.assert(
    fc.property(fc.string(), (query) => {
      for (const tool of search(tools, query)) expect(tools).toContain(tool);
    }),
  );
});
