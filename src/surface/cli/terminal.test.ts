import { expect, test } from 'vitest';
import { createTerminal } from './terminal.ts';

test('a pipe gets plain lines and no progress', () => {
  const { out, written } = stream({});
  const terminal = createTerminal(out, {});
  terminal.progress('working');
  terminal.line(terminal.colours.red('red'));
  expect(written).toEqual(['red\n']);
  expect(terminal.columns).toBe(80);
});

test('a person gets colours, and progress that the next line replaces', () => {
  const { out, written } = stream({ isTTY: true, columns: 120 });
  const terminal = createTerminal(out, {});
  terminal.progress('working');
  terminal.line(terminal.colours.red('red'));
  expect(written).toEqual(['\r\u001B[K\u001B[2mworking\u001B[22m', '\r\u001B[K\u001B[31mred\u001B[39m\n']);
  expect(terminal.columns).toBe(120);
});

test.each([
  [{ NO_COLOR: '1' }, true, false],
  [{ TERM: 'dumb' }, true, false],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{}, true, true],
])('%o on a terminal: %s → colours: %s', (env, isTTY, coloured) => {
  expect(createTerminal(stream({ isTTY }).out, env).colours.isColorSupported).toBe(coloured);
});

function stream(properties: { isTTY?: boolean; columns?: number }) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  // The part of a stream that a terminal needs.
  return { out: { ...properties, write } as unknown as NodeJS.WriteStream, written };
}
