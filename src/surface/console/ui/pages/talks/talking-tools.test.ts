import { expect, test } from 'vitest';
import type { ToolView } from '../../api/types.ts';
import { chosenTool, talkingTools, toolLabel } from './talking-tools.ts';

const tool = (plugin: string, name: string, enabled = true): ToolView => ({
  name,
  plugin,
  tool: { name },
  enabled,
  clients: true,
});
const count = tool('countdown', 'countdown');
const launch = tool('countdown', 'launch');

test('those of plugins that talk, and that are on', () => {
  const plugins = [{ name: 'countdown', talks: true }, { name: 'dice', talks: false }, { name: 'new' }];
  const all = [count, launch, tool('countdown', 'off', false), tool('dice', 'roll'), tool('new', 'x')];
  expect(talkingTools(all, plugins)).toEqual([count, launch]);
});

test('none of several is chosen until somebody has', () => {
  expect(chosenTool([count, launch], '')).toBeUndefined();
  expect(chosenTool([count, launch], 'launch')).toBe(launch);
  expect(chosenTool([launch], '')).toBe(launch);
  expect(chosenTool([], 'launch')).toBeUndefined();
});

test('a label says which of both is the plugin', () => {
  expect(toolLabel(launch)).toBe('launch (countdown)');
});
