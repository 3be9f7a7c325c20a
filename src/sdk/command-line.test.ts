import { expect, test } from 'vitest';
import { readCommandLine } from './command-line.ts';

test.each([
  [[], undefined, { kind: 'serve' }],
  [['--dialect', 'mcp'], undefined, { kind: 'serve', dialect: 'mcp' }],
  [['--dialect=yams', 'word', '--verbose'], undefined, { kind: 'serve', dialect: 'yams' }],
  [['--dialect=yams', '--dialect', 'gevals'], 'mcp', { kind: 'serve', dialect: 'gevals' }],
  [[], 'planner', { kind: 'serve', dialect: 'planner' }],
  [[], '', { kind: 'serve' }],
  [['--config', '{"a":1}'], undefined, { kind: 'serve', config: { a: 1 } }],
  [
    ['--config={"a":1}', '--dialect', 'gevals'],
    undefined,
    { kind: 'serve', dialect: 'gevals', config: { a: 1 } },
  ],
  [['--help'], undefined, { kind: 'help' }],
  [['--manifest', 'gassist'], undefined, { kind: 'manifest', of: 'gassist' }],
  [['--manifest=yams'], undefined, { kind: 'manifest', of: 'yams' }],
] as const)('%j with %j in the environment', (args, environment, expected) => {
  expect(readCommandLine(args, environment)).toEqual(expected);
});

test.each([
  [
    ['--dialect', 'mpc'],
    undefined,
    '--dialect is "mpc"; expected one of gassist, gevals, mcp, planner, yams. Did you mean "mcp"?',
  ],
  [[], 'french', 'PLUGLOT_DIALECT is "french"; expected one of gassist, gevals, mcp, planner, yams.'],
  [['--dialect'], undefined, '--dialect needs a value, as in --dialect mcp.'],
  [['--dialect='], undefined, '--dialect needs a value, as in --dialect mcp.'],
  [['--dialect', '--config', '{}'], undefined, '--dialect needs a value, as in --dialect mcp.'],
  [['--manifest', 'mcp'], undefined, '--manifest is "mcp"; expected one of gassist, yams.'],
  [
    ['--config', '[1]'],
    undefined,
    `--config takes a JSON object, as in --config '{"key":"value"}'; got JSON that is not an object.`,
  ],
] as const)('%j with %j is refused with the way out', (args, environment, problem) => {
  expect(readCommandLine(args, environment)).toEqual({ kind: 'wrong', problem });
});

test.each([
  ['{"secret":"hunter2"', 'got a text of 19 characters that is not JSON (at position 19).'],
  ['hunter2', 'got a text of 7 characters that is not JSON.'],
])('a configuration that is no JSON is refused without telling what is in it: %s', (config, problem) => {
  expect(readCommandLine(['--config', config])).toEqual({
    kind: 'wrong',
    problem: `--config takes a JSON object, as in --config '{"key":"value"}'; ${problem}`,
  });
});
