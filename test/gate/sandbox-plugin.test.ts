// Plugins that are confined by their configuration.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRuntime, type Runtime } from '../../src/runtime/create-runtime.ts';
import { cli, startCli } from '../support/surface/command-line.ts';
import { sandbox, SECRET } from '../support/gate/confined.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

/** An MCP server, in plain Node: its tool reads, writes or connects, and says what came of it. */
const SERVER = `
import fs from 'node:fs';
import net from 'node:net';
import readline from 'node:readline';
const tools = [{ name: 'try', inputSchema: { type: 'object' } }];
const actions = {
  read: (file) => fs.readFileSync(file, 'utf8'),
  write: (file) => (fs.writeFileSync(file, 'written'), 'written'),
  connect: (port) => new Promise((resolve, reject) => net.connect(port, '127.0.0.1').on('connect', () => resolve('connected')).on('error', reject)),
};
async function answer({ method, params }) {
  if (method === 'initialize') return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'try', version: '1.0.0' } };
  if (method === 'tools/list') return { tools };
  if (method !== 'tools/call') return {};
  try {
    const [[action, value]] = Object.entries(params.arguments);
    return { content: [{ type: 'text', text: String(await actions[action](value)) }] };
  } catch (error) {
    return { content: [{ type: 'text', text: error.code ?? error.message }], isError: true };
  }
}
readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  const message = JSON.parse(line);
  if (message.id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: await answer(message) }));
});
`;

describe.runIf(sandbox !== undefined)('a plugin with a sandbox', () => {
  test('sees its own folder, the one it works in and those that are named, and writes only where it may', async () => {
    const { home, project, call } = world({
      folders: { '../project/notes': 'writable', '~/shared': 'read-only' },
    });
    expect(await call('read', path.join(project, 'file'))).toContain('text');
    expect(await call('write', path.join(project, 'file'))).toContain('EROFS');
    expect(await call('write', path.join(project, 'notes/new'))).toContain('written');
    expect(await call('read', path.join(home, 'shared/file'))).toContain('shared');
    expect(await call('write', path.join(home, 'shared/new'))).toContain('EROFS');
    expect(await call('read', path.join(home, '.ssh/id'))).toContain('ENOENT');
    expect(await call('read', path.join(home, 'pluglot/pluglot.json'))).toContain('ENOENT');
    expect(await call('read', '/etc/shadow')).toContain('ENOENT');
    expect(fs.readFileSync(path.join(project, 'notes/new'), 'utf8')).toBe('written');
  });

  test('has a folder for its data, and no network', async () => {
    const { call, home } = world(true);
    const data = path.join(home, 'pluglot/state/data/confined/kept');
    const before = fs.existsSync(path.dirname(data));
    expect(before).toBe(false);
    expect(await call('connect', 1)).toContain('ECONNREFUSED');
    expect(await call('write', data)).toContain('written');
    expect(fs.readFileSync(data, 'utf8')).toBe('written');
  });

  test('is shown as confined, with what it sees', async () => {
    const { options } = world({ network: true, folders: { '../project/notes': 'writable' } });
    const listed = await cli(['plugins'], options);
    expect(listed.stdout).toMatch(/confined +\S+ +\S+, confined with network/);
    const { plugins, sandbox: kind } = JSON.parse((await cli(['status', '--json'], options)).stdout) as {
      plugins: unknown[];
      sandbox: unknown;
    };
    expect(plugins).toMatchObject([{ name: 'confined', sandbox: { network: true } }]);
    expect(kind).toMatchObject({ kind: 'bubblewrap', limits: {} });
  });

  test('is ended with its host, and started again as confined as before', async () => {
    const { options, project } = world({ folders: { '../project/notes': 'writable' } });
    const up = startCli(['up', '--port', '0', '--no-console'], options);
    await expect
      .poll(async () => (await cli(['status'], options)).stdout, { timeout: 20_000 })
      .toMatch(/ready.*, confined/);
    expect(fs.readdirSync(path.join(project, 'notes'))).toContain('pluglot.json');
    up.child.kill('SIGKILL');
    await up.ended;
    await expect.poll(() => fs.readdirSync(path.join(project, 'notes'))).toEqual([]);
  });
});

test('a plugin whose sandbox is not there is not started, and the way out is named', async () => {
  const { options } = world(true);
  const withoutBubblewrap = { ...options, env: { PATH: temporaryPath() } };
  const { exitCode, stderr } = await cli(['call', 'confined__try', 'read=/etc/hostname'], withoutBubblewrap);
  expect(exitCode).toBe(3);
  expect(stderr).toContain('bubblewrap (bwrap) is not installed. Install it: apt install bubblewrap');
});

/** Node, and nothing else. */
function temporaryPath(): string {
  const folder = temporaryFolder();
  fs.symlinkSync(process.execPath, path.join(folder, 'node'));
  return folder;
}

function world(confinement: unknown) {
  const home = temporaryFolder({ '.ssh/id': SECRET, 'shared/file': 'shared' });
  const project = path.join(home, 'project');
  writeFiles(home, {
    'project/file': 'text',
    'project/notes/.keep': '',
    'tools/confined/server.mjs': SERVER,
  });
  fs.rmSync(path.join(project, 'notes/.keep'));
  const config = {
    plugins: {
      confined: {
        command: 'node',
        args: [path.join(home, 'tools/confined/server.mjs')],
        dialect: 'mcp',
        sandbox: confinement,
      },
    },
  };
  writeFiles(home, { 'pluglot/pluglot.json': config });
  const options = { home, cwd: project };
  let started: Promise<Runtime> | undefined;
  const start = async () => {
    const env = { PATH: process.env['PATH'], HOME: home, PLUGLOT_HOME: path.join(home, 'pluglot') };
    const runtime = await createRuntime({ cwd: project, home, env, builtIns: false });
    onTestFinished(() => runtime.close());
    await runtime.registry.discover();
    await runtime.start('confined');
    return runtime;
  };
  const call = async (action: string, value: string | number) => {
    const runtime = await (started ??= start());
    const outcome = await runtime.call('confined__try', { [action]: value }, { caller: { kind: 'user' } });
    return JSON.stringify(outcome);
  };
  return { home, project, call, options };
}
