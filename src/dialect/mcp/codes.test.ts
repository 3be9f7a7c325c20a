import fs from 'node:fs';
import { expect, test } from 'vitest';
import { errorCodes } from '../../base/error.ts';
import { codeOfStatus, neutralCode, neutralCodes, statusCodes, wireCodes } from './codes.ts';

const page = fs.readFileSync(new URL('../../../docs/dialects/mcp.md', import.meta.url), 'utf8');

test('docs/dialects/mcp.md has every number and what it becomes, and no other', () => {
  expect(rows(/^\| `(-?\d+)` \| `([A-Z_]+)` \|/gm)).toEqual(sorted(neutralCodes));
});

test('docs/dialects/mcp.md has every HTTP status and what it becomes, and no other', () => {
  expect(rows(/^\| HTTP (\d+) \| `([A-Z_]+)` \|/gm)).toEqual(sorted(statusCodes));
});

test('a number that is sent for a code comes back as that code', () => {
  for (const [code, wireCode] of Object.entries(wireCodes)) {
    expect(neutralCode(wireCode, code === 'UNKNOWN_TOOL' ? 'Unknown tool: x' : 'no')).toBe(code);
  }
});

test('every code is one of the list', () => {
  const codes = [...Object.values(neutralCodes), ...Object.values(statusCodes), ...Object.keys(wireCodes)];
  for (const code of codes) expect(Object.keys(errorCodes)).toContain(code);
});

test('numbers and statuses that nobody has named', () => {
  expect(neutralCode(-32050, 'x')).toBe('INTERNAL');
  expect(neutralCode(-32000, 'x')).toBe('INTERNAL');
  expect(neutralCode(-1, 'x')).toBe('TOOL_FAILED');
  expect(neutralCode(500, 'x')).toBe('TOOL_FAILED');
  expect(codeOfStatus(500)).toBe('UNAVAILABLE');
});

test.each([
  ['Unknown tool: x', true],
  ['unknown tool "x"', true],
  ['Tool x not found', true],
  ['Tool "x" does not exist', true],
  ['Invalid arguments for tool x: city is required', false],
  ['city not found', false],
])('-32602 %s', (message, isUnknown) => {
  expect(neutralCode(-32602, message)).toBe(isUnknown ? 'UNKNOWN_TOOL' : 'INVALID_ARGUMENTS');
});

function rows(pattern: RegExp): [number, string][] {
  const found = [...page.matchAll(pattern)].map(([, number, code]): [number, string] => [
    Number(number),
    code ?? '',
  ]);
  return found.sort(([one], [other]) => one - other);
}

function sorted(table: Readonly<Record<number, string>>): [number, string][] {
  return Object.entries(table)
    .map(([number, code]): [number, string] => [Number(number), code])
    .sort(([one], [other]) => one - other);
}
