import { expect, test } from 'vitest';
import type { ToolView } from '../../api/types.ts';
import { ownFirst } from './own-first.ts';

test('what somebody brought stands before what comes with the host, each in its own order', () => {
  const tool = (plugin: string, name: string): ToolView => ({
    name,
    plugin,
    tool: { name },
    enabled: true,
    clients: true,
  });
  const tools = [tool('cli', 'run'), tool('dice', 'roll'), tool('todo', 'list'), tool('dice', 'again')];
  const plugins = [
    { name: 'cli', origin: 'built-in' },
    { name: 'dice', origin: 'process' },
    { name: 'todo', origin: 'built-in' },
  ] as const;
  expect(ownFirst(tools, plugins).map(({ name }) => name)).toEqual(['roll', 'again', 'run', 'list']);
});
