import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { readSources } from './catalog.ts';
import { tagsOf, withTags } from './source.ts';

const read = (...sources: Json[]) => readSources(sources, 'references.json', '/project');

test('each type with its own parts, and what is not said', () => {
  const { sources, problems } = read(
    { id: 'a', name: 'A', path: './a.md' },
    {
      id: 'b',
      name: 'B',
      type: 'url',
      url: 'https://example.org/',
      mode: 'auto',
      tags: [' x ', 'y', 'x', ''],
    },
    { id: 'c', name: 'C', type: 'mcp', server: 'Wiki', tool: 'get', args: { page: 1 }, fetchHint: 'ask' },
    { id: 'd', name: 'D', type: 'inline', content: ' kept as it is ', description: 'rules' },
  );
  expect(problems).toEqual([]);
  const common = { description: '', mode: 'selectable', tags: [], folder: '/project' };
  expect(sources).toEqual([
    { ...common, id: 'a', name: 'A', type: 'local', path: './a.md' },
    {
      ...common,
      id: 'b',
      name: 'B',
      type: 'url',
      url: 'https://example.org/',
      mode: 'auto',
      tags: ['x', 'y'],
    },
    {
      ...common,
      id: 'c',
      name: 'C',
      type: 'mcp',
      server: 'Wiki',
      tool: 'get',
      args: { page: 1 },
      fetchHint: 'ask',
    },
    { ...common, id: 'd', name: 'D', type: 'inline', content: ' kept as it is ', description: 'rules' },
  ]);
});

describe('what makes no sense is told and left out, and the rest counts', () => {
  const right = { id: 'right', name: 'R', type: 'inline', content: 'c' };
  test.each<[Json, string]>([
    [17, 'it is 17; expected an object'],
    [{ name: 'N', path: 'p' }, 'id is missing'],
    [{ id: 'i', name: ' ', path: 'p' }, 'name is " "'],
    [{ id: 'i', name: 'N' }, 'path is missing'],
    [{ id: 'i', name: 'N', type: 'url' }, 'url is missing'],
    [{ id: 'i', name: 'N', type: 'mcp', server: 's' }, 'tool is missing'],
    [{ id: 'i', name: 'N', type: 'mcp', server: 's', tool: 't', args: [1] }, 'args is [1]'],
    [{ id: 'i', name: 'N', type: 'inline' }, 'content is missing'],
    [{ id: 'i', name: 'N', type: 'ftp' }, 'type is "ftp"; expected "local", "url", "mcp" or "inline"'],
    [{ id: 'i', name: 'N', path: 'p', mode: 'always' }, 'mode is "always"'],
    [{ id: 'i', name: 'N', path: 'p', tags: 'x' }, 'tags is "x"'],
    [{ id: 'i', name: 'N', path: 'p', tags: ['x', 1] }, 'tags is'],
    [{ id: 'i', name: 'N', path: 'p', tags: ['x'.repeat(61)] }, 'up to 60 characters'],
    [{ id: 'i', name: 'x'.repeat(201), path: 'p' }, 'name has 201 characters'],
    [{ id: 'right', name: 'N', path: 'p' }, 'the id "right" is already used'],
  ])('%j', (source, words) => {
    const { sources, problems } = read(right, source);
    expect(sources).toHaveLength(1);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('references.json: sources[1] is left out: ');
    expect(problems[0]).toContain(words);
  });

  test('no list, and too long a list', () => {
    expect(readSources({ a: 1 }, 'F', '/').problems).toEqual(['F: "sources" is {"a":1}; expected a list']);
    const many = Array.from({ length: 201 }, (_, index) => ({ ...right, id: String(index) }));
    const { sources, problems } = read(...many);
    expect([sources.length, problems]).toEqual([
      200,
      ['references.json has 201 sources; the first 200 of them are used'],
    ]);
  });

  test('whatever it is, it never throws, and tells of all that is left out', () => {
    const value = fc.oneof(
      fc.jsonValue() as fc.Arbitrary<Json>,
      fc.record(
        {
          id: fc.string(),
          name: fc.string(),
          type: fc.constantFrom('local', 'url', 'mcp', 'inline', '__proto__'),
          path: fc.string(),
          content: fc.string(),
          tags: fc.array(fc.string()),
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<Json>,
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 10 }), (values) => {
        const { sources, problems } = readSources(values, 'F', '/');
        expect(sources.length + problems.length).toBe(values.length);
      }),
    );
  });
});

test('tags are found whatever their case', () => {
  const { sources } = read(
    { id: 'a', name: 'A', path: 'a', tags: ['API', 'auth'] },
    { id: 'b', name: 'B', path: 'b', tags: ['style'] },
    { id: 'c', name: 'C', path: 'c' },
  );
  const ids = (...tags: string[]) => withTags(sources, tags).map(({ id }) => id);
  expect(ids()).toEqual(['a', 'b', 'c']);
  expect(ids('api')).toEqual(['a']);
  expect(ids('Style', 'AUTH', 'none')).toEqual(['a', 'b']);
  expect(tagsOf(sources)).toEqual(['API', 'auth', 'style']);
});
