// Every command line that got around the gate once, over /mcp of a real `pluglot up`: it is denied, or what it does stays inside.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findInPath } from '../../src/base/search-path.ts';
import { readLine } from '../../src/gate/policy/shell/read-line.ts';
import { environment, program } from '../support/surface/command-line.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { servedAt } from '../support/surface/running-up.ts';
import { sandboxHere } from '../support/gate/sandbox.ts';
import { link, program as executable, writeFiles } from '../support/temporary-folder.ts';
import { commandLines } from './command-lines.ts';

const SECRET = 'top-secret-7c1d';

/** Those of the rules that the lines got around, and the widest ones there are: where the gate lets everything through. */
const ways = {
  'with git, find, cat and sqlite3 allowed, rm denied and a scope of paths': {
    defaultPolicy: 'deny',
    allow: ['git *', 'find *', 'cat *', 'sqlite3 *'],
    deny: ['rm *'],
    sanitization: {
      block_shell_metacharacters: false,
      block_dangerous_commands: false,
      path_scope: { enabled: true },
    },
  },
  'with everything allowed': { defaultPolicy: 'allow', allow: ['*'] },
} as const;

interface World {
  /** What the line answers with, and whether it was let through. */
  run(line: string): Promise<{ readonly isDenied: boolean; readonly text: string }>;
  /** All that is outside, with its contents. */
  outside(): string;
  /** What the server of the test was asked for. */
  readonly asked: readonly string[];
  readonly mark: string;
  readonly folder: string;
  readonly isAlive: () => boolean;
  close(): Promise<void>;
}

async function world(permissions: object): Promise<World> {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-lines-')));
  const [home, folder, out] = ['home', 'project', 'outside'].map((name) => path.join(top, name)) as [
    string,
    string,
    string,
  ];
  const mark = newRun();
  const evil = executable(`#!/bin/sh\nrm ${out}/keep; touch ${out}/new\n`);
  writeFiles(top, {
    'home/.netrc': SECRET,
    'home/pluglot/pluglot.json': {
      gate: { approver: { type: 'none' } },
      // It is off for clients otherwise.
      plugins: { cli: { clients: true } },
    },
    'home/pluglot/permissions.json': permissions,
    'outside/keep': 'kept',
    'outside/secret': SECRET,
    'outside/empty/.keep': '',
    'project/file': 'one\n',
    'project/other': 'two\n',
    'project/list': `${out}/keep\nall:\n\trm ${out}/keep\n`,
    'project/evil': evil,
    'project/hooks/pre-commit': evil,
    'project/hooks/post-checkout': evil,
    'project/link': link(out),
  });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  git('init', '-b', 'main');
  git('config', 'user.name', 'a');
  git('config', 'user.email', 'a@b');
  git('add', '.');
  git('commit', '-m', 'first');
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const up = spawn(process.execPath, [program, 'up', '--port', '0'], {
    cwd: folder,
    env: environment({ home }),
  });
  const { url, token } = servedAt(await printed(up, /plugins? (?:is|are) ready/));
  const client = new Client({ name: 'a test', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name.endsWith('cli_based_tool'))?.name ?? 'cli_based_tool';
  const values = {
    OUTNAME: 'outside',
    OUT: out,
    PORT: String(port),
    MARK: mark,
    HOME: home,
    HOST: String(up.pid),
  };
  return {
    async run(line) {
      const command = Object.entries(values).reduce(
        (text, [name, value]) => text.replaceAll(name, value),
        line,
      );
      const { content, isError } = await client.callTool({ name: tool, arguments: { command, timeout: 5 } });
      const text = JSON.stringify(content);
      return { isDenied: isError === true && /PERMISSION_DENIED|not allowed|denied/i.test(text), text };
    },
    outside: () => contents(out) + contents(home, ['pluglot']),
    asked,
    mark,
    folder,
    isAlive: () => up.exitCode === null && up.signalCode === null,
    async close() {
      await client.close();
      const gone = new Promise((resolve) => up.once('exit', resolve));
      up.kill('SIGTERM');
      await gone;
      server.close();
      fs.rmSync(top, { recursive: true, force: true });
    },
  };
}

function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (pattern.test(text)) resolve(text);
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    child.once('exit', () => reject(new Error(`It ended: ${text}`)));
  });
}

function contents(folder: string, but: readonly string[] = []): string {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !but.some((one) => name === one || name.startsWith(`${one}/`)))
    .sort()
    .map((name) => {
      const file = path.join(folder, name);
      const stat = fs.lstatSync(file);
      return `${name} ${stat.mode} ${stat.isFile() ? fs.readFileSync(file, 'utf8') : ''}\n`;
    })
    .join('');
}

/** Whether this machine lacks the program of a line. Where everything is allowed, such a line is skipped and says why. */
const missing = (line: string) => {
  const [name = ''] = line.split(' ');
  const isProgram = /^[a-z][\w-]*$/.test(name);
  return isProgram && findInPath(name, { path: process.env['PATH'] ?? '', cwd: '/' }) === undefined;
};

const lines = Object.entries(commandLines).flatMap(([kind, all]) => all.map((line) => [kind, line] as const));

test('there are more than a hundred', () => {
  expect(lines.length).toBeGreaterThan(100);
});

describe.skipIf(sandboxHere === undefined).each(Object.entries(ways))(
  '%s (skipped without a sandbox)',
  (_, rules) => {
    let here: World;
    let before = '';
    beforeAll(async () => {
      here = await world(rules);
      before = here.outside();
    });
    afterAll(() => here.close());

    test.for(lines)('%s: %s', async ([, line], { skip }) => {
      if (rules.defaultPolicy === 'allow' && missing(line))
        skip(`${line.split(' ', 1)[0]} is not installed here`);
      const { isDenied, text } = await here.run(line);
      // What is not literal is never let through; what is may be.
      const isLiteral = readLine(line.replaceAll('OUT', '/x')).kind === 'literal';
      expect([text, isLiteral || isDenied]).toEqual([text, true]);
      expect(text).not.toContain(SECRET);
      expect(here.outside()).toBe(before);
      expect(here.asked).toEqual([]);
      expect(survivors(here.mark)).toEqual([]);
      expect(here.isAlive()).toBe(true);
    });

    test('what is meant works', async () => {
      const said = async (line: string) => (await here.run(line)).text;
      expect(await said('cat file')).toContain('one');
      expect(await said('git log --oneline | cat')).toContain('first');
      expect(await said('find . -name other')).toContain('./other');
      expect(await said('git checkout -b inside && git status')).toContain('On branch inside');
    });

    test('nothing of it was left for the next git outside', () => {
      execFileSync('git', ['status'], { cwd: here.folder, stdio: 'ignore' });
      execFileSync('git', ['diff'], { cwd: here.folder, stdio: 'ignore' });
      expect(here.outside()).toBe(before);
    });
  },
);

test('a hole would be seen', async () => {
  const here = await world({ allow: [{ rule: '*', unsandboxed: true }] });
  try {
    const before = here.outside();
    expect((await here.run('cat OUT/secret')).text).toContain(SECRET);
    await here.run("git -c alias.x='!touch OUT/new' x");
    expect(here.outside()).not.toBe(before);
    await here.run('curl http://127.0.0.1:PORT/asked');
    expect(here.asked).toEqual(['/asked']);
    expect((await here.run('cat $x')).isDenied).toBe(true);
  } finally {
    await here.close();
  }
});
