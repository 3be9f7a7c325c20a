import { expect, test } from 'vitest';
import type { ToolView } from '../api/types.ts';
import { SeenTools } from './seen-tools.ts';

const tool = (name: string, description = ''): ToolView => ({
  name,
  plugin: 'dice',
  tool: { name, description },
  enabled: true,
  clients: true,
});

test('a tool is remembered as it was listed last', () => {
  const seen = new SeenTools();
  seen.add([tool('roll', 'old'), tool('again')]);
  seen.add([tool('roll', 'new')]);
  seen.add([]);
  expect(seen.of('roll')?.tool.description).toBe('new');
  expect(seen.of('again')).toBeDefined();
  expect(seen.of('other')).toBeUndefined();
});

test('of very many, those seen last', () => {
  const seen = new SeenTools();
  for (let round = 0; round < 6; round++)
    seen.add(Array.from({ length: 1000 }, (_, index) => tool(`tool ${round} ${index}`)));
  expect(seen.of('tool 0 0')).toBeUndefined();
  expect(seen.of('tool 1 0')).toBeDefined();
});
