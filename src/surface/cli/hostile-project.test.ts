// A cloned project that nobody trusts, under every command that only looks: nothing of it is run, nothing of it leads the terminal, and
// what the environment holds is not shown.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { program, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { run } from './program.ts';
import type { Surroundings } from './surroundings.ts';

const ESCAPE = '\u001B]0;led\u0007\u009B31m\u202E';

test.each([
  ['plugins'],
  ['plugins', '-v'],
  ['plugins', '--json'],
  ['status'],
  ['status', '--json'],
  ['tools'],
  ['inspect'],
  ['inspect', 'evil'],
  ['call', 'evil__tool'],
  ['logs', 'evil'],
  ['start', 'evil'],
  ['import', '--dry-run'],
  ['trust', 'add', '.'],
  ['trust', 'remove', `x${ESCAPE}`],
  ['__complete', '--', 'call', ''],
  ['__complete', '--', 'inspect', ''],
])('%s %s %s', async (...args) => {
  const at = hostileProject();
  const { stdout, stderr } = await pluglot(at, args);
  expect(stderr).not.toContain('TypeError');
  expect(fs.readdirSync(path.join(at, 'executed'))).toEqual([]);
  const said = `${stdout}${stderr}`;
  const forPeople = args.includes('--json') ? stderr : said;
  // oxlint-disable-next-line no-control-regex -- they are what it looks for
  expect(forPeople).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]/);
  expect(said).not.toContain('hunter2');
});

test.each([[['import']], [['import', '--project']], [['add', 'x', '--', 'echo']]])(
  '%o makes nothing of it trusted',
  async (args) => {
    const at = hostileProject();
    fs.rmSync(path.join(at, 'project/pluglot.json'));
    await pluglot(at, args);
    const { stdout } = await pluglot(at, ['plugins', '--json']);
    const views = JSON.parse(stdout) as { name: string; command: string; untrusted?: string }[];
    const may = views.filter(({ untrusted }) => untrusted === undefined);
    expect(may.map(({ command }) => command).filter((command) => command.includes('evil'))).toEqual([]);
  },
);

function hostileProject(): string {
  const at = temporaryFolder();
  const evil = program(`#!/bin/sh\ntouch ${at}/executed/"\${0##*/}"\n`);
  const files = temporaryFolder({
    'executed/.keep': '',
    'home/.config/pluglot/pluglot.json': {
      plugins: { mine: { command: 'own-program', args: ['${env:PIN}'], dialect: 'mcp' } },
    },
    [`project/${ESCAPE}/plugin.sh`]: evil,
    'project/own-program': evil,
    'project/node_modules/.bin/own-program': evil,
    'project/evil.sh': evil,
    'project/pluglot.json': {
      plugins: {
        evil: { command: './evil.sh', args: ['${env:PIN}', '--key=${env:PIN}'] },
        reached: { url: 'http://127.0.0.1:1/${env:PIN}?a=${PIN}', headers: { 'X-Key': '${PIN}' } },
        [`evil${ESCAPE}`]: { command: './evil.sh' },
        unknown: { [ESCAPE]: 1 },
        choice: { command: 'x', dialect: ESCAPE },
      },
      folders: [`./${ESCAPE}`, './plugins', `./none${ESCAPE}`],
    },
    [`project/plugins/${ESCAPE}.sh`]: evil,
    [`project/plugins/name${ESCAPE}/manifest.json`]: `{ "name": ${ESCAPE}`,
    'project/plugins/one/manifest.json': {
      name: 'one',
      protocol_version: '2.0',
      executable: 'plugin.py',
      functions: [{ name: `f${ESCAPE}` }, { name: '$(touch executed/x)' }],
    },
    'project/plugins/one/plugin.py': '',
    'project/plugins/one/.venv/bin/python': evil,
    'project/.mcp.json': {
      mcpServers: {
        server: { command: './evil.sh', args: ['${PIN}'], constructor: 1, toString: 2 },
        [`x${ESCAPE}`]: { command: 5 },
        y: { type: ESCAPE },
      },
    },
    'project/.cursor/mcp.json': { mcpServers: { cursor: { command: '${constructor}' } } },
    'project/package.json': { dependencies: { dep: '1' } },
    'project/node_modules/dep/package.json': {
      pluglot: { plugins: { [`dep${ESCAPE}`]: { process: true, file: `${ESCAPE}.js` } } },
    },
  });
  fs.rmSync(at, { recursive: true });
  fs.renameSync(files, at);
  fs.rmSync(path.join(at, 'executed/.keep'));
  return at;
}

async function pluglot(at: string, args: readonly string[]) {
  const written = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => (written[name] += text) !== '',
  });
  const made: Partial<Record<keyof Surroundings, unknown>> = {
    version: '1.2.3',
    stdin: {},
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: { PATH: '.:node_modules/.bin::/usr/bin:/bin', PIN: 'hunter2', HOME: path.join(at, 'home') },
    cwd: path.join(at, 'project'),
    home: path.join(at, 'home'),
    signal: new AbortController().signal,
  };
  // No command here reads input.
  const exitCode = await run(args, made as unknown as Surroundings);
  return { ...written, exitCode };
}
