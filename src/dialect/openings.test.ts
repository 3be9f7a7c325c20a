import { expect, test } from 'vitest';
import { dialectOfOpening } from './openings.ts';

test('a length is the beginning of G-Assist', () => {
  expect(dialectOfOpening({ kind: 'length-prefix' })).toBe('gassist');
});

// requirement: planner:served-first:recognised
test.each([
  ['gevals', 'initialize', { protocolVersion: '0.0.1', config: {} }],
  ['gevals', 'execute', { operation: 'apply' }],
  ['gevals', 'execute', undefined],
  ['gevals', 'shutdown', {}],
  ['mcp', 'initialize', { protocolVersion: '2025-11-25' }],
  ['mcp', 'initialize', undefined],
  ['mcp', 'ping', undefined],
  ['mcp', 'tools/list', undefined],
  ['mcp', 'server/discover', {}],
  ['mcp', 'notifications/initialized', undefined],
  ['planner', 'create_plan', {}],
  ['planner', 'execute_task', {}],
  ['planner', 'validate_code', {}],
  ['planner', 'update_context', {}],
  ['planner', 'rpc.discover', {}],
  ['yams', 'handshake.manifest', undefined],
  ['yams', 'plugin.init', { config: {} }],
  ['yams', 'plugin.health', undefined],
  ['yams', 'extractor.extract', {}],
  [undefined, 'dance', {}],
  [undefined, '', undefined],
] as const)('%s begins with %s %j', (dialect, method, params) => {
  expect(dialectOfOpening({ kind: 'message', method, params })).toBe(dialect);
});
