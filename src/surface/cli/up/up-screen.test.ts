import pc from 'picocolors';
import { expect, test } from 'vitest';
import { type Terminal, silentTerminal } from '../terminal.ts';
import { clientLines, addressLines, heightOf, pluginLines } from './up-screen.ts';

const terminal = (columns: number): Terminal =>
  silentTerminal({ colours: pc.createColors(false), columns } as Terminal);
const url = 'http://127.0.0.1:7717';
const place = { url, token: 't'.repeat(47), link: `${url}/#/enter/${'c'.repeat(32)}` };
const view = {
  name: 'dice',
  dialect: 'mcp',
  state: 'ready',
  sinceMs: 1,
  restarts: 0,
  pids: [],
  command: 'x',
};

test('the address of the page is never broken at 80 columns, and stands in its line where it fits', () => {
  for (const columns of [80, 120])
    for (const line of addressLines(terminal(columns), place, '0.1.0'))
      expect(line.length, line).toBeLessThan(columns);
  expect(addressLines(terminal(120), place, '0.1.0').join('\n')).toContain('Console  http');
  expect(addressLines(terminal(80), { ...place, link: undefined }, '1').join('')).not.toContain('Console');
});

test('on a narrow screen only the address that has to be whole is broken', () => {
  for (const columns of [40, 60]) {
    const broken = addressLines(terminal(columns), place, '0.1.0').filter((line) => line.length >= columns);
    expect(broken).toEqual([expect.stringContaining('/#/enter/')]);
  }
});

test.each([40, 60, 80])('rows of plugins fit %d columns, whatever names and reasons say', (columns) => {
  const reason = `it\u001B[31m is ${'long '.repeat(100)}`;
  const lines = pluginLines(terminal(columns), [
    { ...view, tools: 1 },
    { ...view, name: 'a-name-that-is-longer', state: 'failed', reason },
  ]);
  for (const line of lines) expect(line.length, line).toBeLessThan(columns);
  expect(lines.join('')).not.toContain('\u001B');
  expect(lines[1]).toMatch(columns < 60 ? /● dice +ready/ : /● dice +mcp.* +ready/);
});

test('each client gets its own words, and JSON that is JSON', () => {
  const lines = new Map(clientLines('http://127.0.0.1:1/mcp', 'tok').map((one) => [one.client, one.line]));
  expect([...lines.keys()]).toEqual(['Claude Code', 'Gemini CLI', 'VS Code', 'Cursor']);
  const [, json = ''] = /^code --add-mcp '(.*)'$/.exec(lines.get('VS Code') ?? '') ?? [];
  expect(JSON.parse(json)).toMatchObject({ type: 'http', headers: { Authorization: 'Bearer tok' } });
  expect(JSON.parse(lines.get('Cursor') ?? '')).toHaveProperty('mcpServers.pluglot.url');
});

test('what is too wide takes more lines', () => {
  expect(heightOf(['', 'x'.repeat(80), pc.createColors(true).red('x'.repeat(81))], 80)).toBe(4);
});
