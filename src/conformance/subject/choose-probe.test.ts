import { expect, test } from 'vitest';
import { chooseProbe, harmlessProbes } from './choose-probe.ts';

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

test('what only looks, by a hint or by its name, may be called beside it', () => {
  const tools = [
    { name: 'convert' },
    { name: 'list' },
    { name: 'list_and_delete' },
    { name: 'read', hints: { readOnly: false } },
    { name: 'get', hints: { destructive: true } },
    { name: 'wait', hints: { readOnly: true }, inputSchema: needs('a') },
  ];
  expect(harmlessProbes(tools)).toEqual([
    { tool: 'list', args: {} },
    { tool: 'wait', args: { a: 'probe' } },
  ]);
});
