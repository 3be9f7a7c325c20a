import { expect, test } from 'vitest';
import { chooseProbe } from './choose-probe.ts';

const needs = (...required: string[]) => ({ type: 'object', required });

test('what only reads comes first, then what asks for less, and what destroys last', () => {
  const tools = [
    { name: 'wipe', hints: { destructive: true } },
    { name: 'search_two', inputSchema: needs('a', 'b') },
    { name: 'search_one', inputSchema: needs('a') },
  ];
  expect(chooseProbe(tools)).toEqual({ tool: 'search_one', args: { a: 'probe' } });
  expect(chooseProbe([...tools, { name: 'peek', hints: { readOnly: true } }])?.tool).toBe('peek');
  expect(chooseProbe(tools.slice(0, 1))?.tool).toBe('wipe');
});

test('a name that sounds like a change is not the first choice', () => {
  expect(chooseProbe([{ name: 'delete_all' }, { name: 'convert' }])?.tool).toBe('convert');
  expect(chooseProbe([{ name: 'convert' }, { name: 'list' }])?.tool).toBe('list');
});

test('where nothing is named there is nothing to call', () => {
  expect(chooseProbe([])).toBeUndefined();
});
