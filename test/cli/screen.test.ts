// The command on a real terminal: colours, conversations and Ctrl-C, through a pseudo-terminal.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../support/surface/command-line.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { root } from '../support/project.ts';
import { onScreen, programOnScreen } from '../support/surface/screen.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const countdown = ['--', 'node', path.join(root, 'examples/gassist-countdown/plugin.mjs')];
const chat = ['--dialect', 'gassist', '--', 'node', fixture('gassist/well-behaved.mjs')];

test('a conversation: the plugin speaks, the prompt comes back, and it ends when the plugin says so', async () => {
  const run = newRun();
  const screen = onScreen(['talk', 'chat', ...chat, run]);
  await screen.until(/Go on\.\n.*You are talking to well-behaved__chat; .*\n> $/);
  screen.type('hello\r');
  await screen.until(/You said hello\n> $/);
  screen.type('bye\r');
  expect(await screen.ended).toBe(0);
  expect(screen.text()).toMatch(/You said bye\n$/);
  expect(survivors(run)).toEqual([]);
});

test.each([
  ['/exit', '/exit\r', 0],
  ['Ctrl-D', '\u0004', 0],
  ['Ctrl-C', '\u0003', 130],
])('out of a conversation with %s, whatever the plugin wants', async (_, keys, exitCode) => {
  const run = newRun();
  const plugin = fixture('gassist/keeps-session-for-ever.mjs');
  const screen = onScreen(['talk', 'work', '--dialect', 'gassist', '--', 'node', plugin, run]);
  await screen.until(/> $/);
  screen.type('let me out\r');
  await screen.until(/Stay\.\n> $/);
  screen.type(keys);
  expect(await screen.ended).toBe(exitCode);
  expect(screen.text().endsWith('\n')).toBe(true);
  expect(survivors(run)).toEqual([]);
});

test.each([
  ['Ctrl-C', '\u0003', 130],
  ['Ctrl-D', '\u0004', 0],
])('a plugin that is started by hand says what it waits for, and ends with %s', async (_, keys, exitCode) => {
  const screen = programOnScreen([path.join(root, 'examples/word-tools/plugin.mjs')]);
  await screen.until(/word_tools is a plugin and waits for a host\. .*\n$/);
  screen.type(keys);
  expect(await screen.ended).toBe(exitCode);
});

test('who starts serve by hand is told what it waits for', async () => {
  const screen = onScreen(['serve', '--as', 'mcp', ...countdown]);
  await screen.until(/It waits for a host on stdin and stdout, not for a person\. Ctrl-C ends it\.\n/);
  screen.type('\u0003');
  expect(await screen.ended).toBe(130);
});

test('Ctrl-C in the middle of a call keeps what was said; twice it ends at once', async () => {
  const run = newRun();
  const screen = onScreen(['call', 'countdown', 'from=20', ...countdown, run]);
  await screen.until(/18… /);
  screen.type('\u0003');
  expect(await screen.ended).toBe(130);
  expect(screen.text()).toMatch(
    /20… 19… 18… .*\n✗ gassist-countdown__countdown: interrupted \(CALL_CANCELLED\)\n$/s,
  );

  const stubborn = fixture('gassist/ignores-shutdown.mjs');
  const twice = onScreen(['talk', 'work', '--dialect', 'gassist', '-v', '--', 'node', stubborn, run]);
  await twice.until(/ready/);
  twice.type('\u0003\u0003');
  expect(await twice.ended).toBe(130);
  await expect.poll(() => survivors(run)).toEqual([]);
});

test('a new plugin: what was not typed is asked, and asked again when the answer is not one of them', async () => {
  const folder = temporaryFolder();
  const screen = onScreen(['new', 'asked-for'], {}, folder);
  await screen.until(/Language \(ts, js, python\) \[js\]: $/);
  screen.type('cobol\r');
  await screen.until(/cobol is not one of them\.\nLanguage .*: $/);
  screen.type('python\r');
  await screen.until(/Dialect \(.*\) \[mcp\]: $/);
  screen.type('\r');
  expect(await screen.ended).toBe(0);
  expect(screen.text()).toContain('a plugin in Python that speaks mcp');
});

test('Ctrl-C at a question makes nothing', async () => {
  const folder = temporaryFolder();
  const screen = onScreen(['new', 'asked-for'], {}, folder);
  await screen.until(/Language .*: $/);
  screen.type('\u0003');
  expect(await screen.ended).toBe(130);
  expect(screen.text()).toMatch(/\nInterrupted\.\n$/);
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('a person is told where the built-in plugins are', async () => {
  const screen = onScreen(['plugins'], {}, temporaryFolder());
  expect(await screen.ended).toBe(0);
  expect(screen.text()).toMatch(/\nBuilt-in plugins are not shown; --all shows them\.\n$/);
});

test('colours on a terminal, none with NO_COLOR, and what is going on is taken away again', async () => {
  const words = ['inspect', ...countdown];
  const [coloured, plain] = [onScreen(words), onScreen(words, { NO_COLOR: '1' })];
  expect([await coloured.ended, await plain.ended]).toEqual([0, 0]);
  expect(coloured.raw()).toContain('\u001B[1mgassist-countdown\u001B[22m');
  expect(plain.raw().replaceAll('\r\u001B[K', '')).not.toContain('\u001B');
  expect(plain.text()).toMatch(/^gassist-countdown 1\.0\.0 {2}speaks gassist\n/);
  expect(plain.text()).toMatch(/\nTry: pluglot call gassist-countdown__countdown from=… -- node /);
});
