import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkTo, parsedRoute } from './route.ts';

test('an address has a page, names and questions', () => {
  expect(parsedRoute('#/tools/a%2Fb?plugin=x')).toEqual({
    page: 'tools',
    rest: ['a/b'],
    query: new Map([['plugin', 'x']]),
  });
  expect(parsedRoute('')).toEqual({ page: '', rest: [], query: new Map() });
  expect(parsedRoute('#/tools/%E0')).toMatchObject({ rest: ['%E0'] });
});

test('whatever a name is, its link leads to it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
      expect(parsedRoute(linkTo('tools', name)).rest).toEqual([name]);
    }),
  );
});
