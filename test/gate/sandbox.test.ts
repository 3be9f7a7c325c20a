// What every sandbox promises to a program that means no harm, and the limits of one that does.
import { type ChildProcess, execFile, execFileSync, spawn as spawnProcess } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { spawn } from '../../src/fleet/supervisor/spawn.ts';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { root } from '../support/project.ts';
import { confined, confinedScript, ended, home, sandbox, SECRET } from '../support/gate/confined.ts';
import { link, program, temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

describe.runIf(sandbox !== undefined)('a program in the sandbox', () => {
  test('has its words, its folder, its input and its exit code', async () => {
    const workspace = temporaryFolder({ 'sub/file': 'text\n' });
    const running = confinedScript(workspace, 'pwd; cat sub/file; echo "$1"; cat; exit 3', {
      args: ['a  b'],
    });
    running.pipe.write(['input\n']);
    const { stdout, exit } = await ended(running);
    expect(stdout).toBe(`${workspace}\ntext\na  b\ninput\n`);
    expect(exit).toMatchObject({ exitCode: 3 });
  });

  test('has only descriptors, variables and folders that it was given', async () => {
    const workspace = temporaryFolder();
    const { stdout } = await ended(
      confinedScript(
        workspace,
        // Into a file first: with a pipe, the shell may still have one of its ends open.
        'for d in /proc/$$/fd/*; do readlink $d; done > list; grep -v -e /dev/null -e /list list | cut -d: -f1; env | cut -d= -f1 | sort; ls /; ls -A "$HOME"',
      ),
    );
    expect(stdout.split('\n').filter(Boolean)).toEqual([
      'socket',
      'socket',
      'socket',
      'HOME',
      'PATH',
      'PWD',
      ...fs.readdirSync('/').filter((name) => SHOWN_AT_ROOT.includes(name)),
      '.gitconfig',
    ]);
  });

  test('writes to the workspace, the home folder and /tmp, and keeps only what is in the workspace', async () => {
    const workspace = temporaryFolder();
    const name = newRun();
    const { stdout } = await ended(
      confinedScript(
        workspace,
        `echo a > file; echo b > ~/${name}; echo c > /tmp/${name}; cat ~/${name} /tmp/${name}`,
      ),
    );
    expect(stdout).toBe('b\nc\n');
    expect(fs.readFileSync(path.join(workspace, 'file'), 'utf8')).toBe('a\n');
    expect([`${home}/${name}`, `/tmp/${name}`].filter((file) => fs.existsSync(file))).toEqual([]);
  });

  test('sees a file as it was checked, and cannot change it', async () => {
    const workspace = temporaryFolder({ 'plugin.sh': 'echo another\n', other: '' });
    const file = path.join(workspace, 'plugin.sh');
    const bytes = Buffer.from('#!/bin/sh\necho checked; echo x > "$0"; echo y > other\n');
    const command = { command: file, cwd: workspace, env: { PATH: process.env['PATH'], HOME: home } };
    const checked = [{ file, bytes, mode: 0o755 }];
    const { stdout } = await ended(spawn(confined({ ...command, checked }, { workspace })));
    expect(stdout).toBe('checked\n');
    expect(fs.readFileSync(file, 'utf8')).toBe('echo another\n');
    expect(fs.readFileSync(path.join(workspace, 'other'), 'utf8')).toBe('y\n');
  });

  test('does not write to a workspace that is read-only', async () => {
    const workspace = temporaryFolder({ file: 'kept' });
    await ended(
      confinedScript(workspace, 'echo x > file; rm file; touch new; mkdir .git', { access: 'read-only' }),
    );
    expect(fs.readdirSync(workspace)).toEqual(['file']);
    expect(fs.readFileSync(path.join(workspace, 'file'), 'utf8')).toBe('kept');
  });

  test('reaches a workspace that is a link by both names', async () => {
    const workspace = temporaryFolder({ 'real/file': 'text\n' });
    fs.symlinkSync(path.join(workspace, 'real'), path.join(workspace, 'link'));
    const given = path.join(workspace, 'link');
    const { stdout } = await ended(confinedScript(given, `pwd -P; cat "${given}/file"; echo x > new`));
    expect(stdout).toBe(`${workspace}/real\ntext\n`);
    expect(fs.readdirSync(path.join(workspace, 'real'))).toEqual(['file', 'new']);
  });

  test('sees further folders as they are shown', async () => {
    const workspace = temporaryFolder();
    const other = temporaryFolder({ 'data/file': 'text\n', 'cache/x': '' });
    const folders = [
      { path: path.join(other, 'data'), access: 'read-only' as const },
      { path: path.join(other, 'cache'), access: 'writable' as const },
    ];
    const { stdout } = await ended(
      confinedScript(
        workspace,
        `cat ${other}/data/file; echo x > ${other}/data/new; echo y > ${other}/cache/new; ls ${other}`,
        { folders },
      ),
    );
    expect(stdout).toBe('text\ncache\ndata\n');
    expect(fs.readdirSync(path.join(other, 'data'))).toEqual(['file']);
    expect(fs.readdirSync(path.join(other, 'cache'))).toEqual(['new', 'x']);
  });

  test('is found where it is installed, with what interprets it', async () => {
    const installed = path.join(home, 'node-20', 'bin');
    fs.mkdirSync(installed, { recursive: true });
    fs.copyFileSync(process.execPath, path.join(installed, 'node'));
    writeFiles(home, {
      'tools/bin/hello': program(
        '#!/usr/bin/env node\nconsole.log("hello", require("fs").existsSync(process.argv[2]))\n',
      ),
    });
    const workspace = temporaryFolder();
    const env = { PATH: `${installed}:/usr/bin:/bin`, HOME: home };
    writeFiles(home, { private: SECRET });
    const hello = {
      command: path.join(home, 'tools/bin/hello'),
      args: [path.join(home, 'private')],
      cwd: workspace,
      env,
    };
    const { stdout, stderr } = await ended(spawn(confined(hello, { workspace })));
    expect({ stdout, stderr }).toEqual({ stdout: 'hello false\n', stderr: '' });
  });

  test.each(['/', '/usr', '/etc', '/tmp', '/var', home, path.dirname(home), 'relative', '/no/such/folder'])(
    'is not shown %s as its workspace',
    (workspace) => {
      expect(() => confined({ command: '/bin/true', env: {} }, { workspace })).toThrow(/cannot be shown/);
    },
  );

  test('does not work in a folder that is not shown', () => {
    const workspace = temporaryFolder();
    expect(() => confined({ command: '/bin/true', cwd: '/usr/lib', env: {} }, { workspace })).toThrow(
      /is not shown/,
    );
  });

  test('ended by a signal says so', async () => {
    const { exit } = await ended(confinedScript(temporaryFolder(), 'kill -9 $$'));
    expect(exit).toMatchObject({ exitCode: 137 });
  });

  test('takes hidden folders with it that lie in the workspace', async () => {
    writeFiles(home, { 'work/state/token': SECRET, 'work/file': 'text' });
    const workspace = path.join(home, 'work');
    const { stdout } = await ended(confinedScript(workspace, 'ls -A state; echo x > state/new; cat file'));
    expect(stdout).toBe('text');
    expect(fs.readdirSync(path.join(workspace, 'state'))).toEqual(['token']);
  });
});

const SHOWN_AT_ROOT = [
  'bin',
  'dev',
  'etc',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'proc',
  'sbin',
  'tmp',
  'usr',
  'var',
];

describe.runIf(sandbox !== undefined)('the network', () => {
  const connect = (to: string) =>
    `'${process.execPath}' -e 'require("net").connect(${to}).on("connect", () => process.exit(0)).on("error", (e) => { console.log(e.code); process.exit(1) })'`;

  test('is that of the host where it is asked for, but for its abstract sockets', async () => {
    const workspace = temporaryFolder();
    const tcp = await listening({ port: 0, host: '127.0.0.1' });
    const abstract = `\0pluglot-${newRun()}`;
    await listening({ path: abstract });
    const { port } = tcp.address() as net.AddressInfo;
    const inside = async (to: string) =>
      (await ended(confinedScript(workspace, connect(to), { network: true }))).exit;
    expect(await inside(`${port}, "127.0.0.1"`)).toMatchObject({ exitCode: 0 });
    expect(await inside(JSON.stringify(abstract))).toMatchObject({ exitCode: 1 });
  });
});

describe.runIf(sandbox !== undefined)('with the network', () => {
  /** A server of datagrams on the host: prints what it gets, and a last line for what is sent to it at the end. */
  const RECEIVER = `use Socket; $| = 1; for my $name (@ARGV) { socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die; $name =~ s/^@/\\0/; bind($s, pack('S a*', AF_UNIX, $name)) or die; push @all, $s; } print "ready\\n"; <STDIN>; for my $s (@all) { while (defined recv($s, my $text, 100, 0x40)) { print "got $text\\n"; } }`;
  const SENDER = `use Socket; for my $type (SOCK_DGRAM, SOCK_RAW, SOCK_STREAM, SOCK_SEQPACKET) { socketpair(my $a, my $b, AF_UNIX, $type, 0) or do { print "no pair of $type\\n"; next; }; for my $name (@ARGV) { $name =~ s/^@/\\0/; my $to = pack('S a*', AF_UNIX, $name); send($a, "sent $type", 0, $to); connect($a, $to) and send($a, "connected $type", 0); } print "pair of $type\\n"; }`;

  test('no Unix socket of datagrams is reached, and pairs that reach each other work', async () => {
    const workspace = temporaryFolder();
    const names = [`@pluglot-${newRun()}`, path.join(workspace, 'socket')];
    const receiver = execFile('/usr/bin/perl', ['-e', RECEIVER, ...names]);
    let received = '';
    receiver.stdout?.on('data', (chunk) => (received += String(chunk)));
    await expect.poll(() => received).toBe('ready\n');
    const { stdout } = await ended(
      confinedScript(workspace, 'perl -e "$1" "$2" "$3"', { network: true, args: [SENDER, ...names] }),
    );
    expect(stdout).toBe('no pair of 2\nno pair of 3\npair of 1\npair of 5\n');
    receiver.stdin?.end('\n');
    await new Promise((resolve) => receiver.once('close', resolve));
    expect(received).toBe('ready\n');
  });

  test.each([
    [
      'node',
      `node -e 'require("child_process").execFile("echo", ["works"], (e, out) => process.stdout.write(out))'`,
    ],
    ['npm', 'npm --version > /dev/null && echo works'],
    ['git', 'git init -q sub && git -C sub status > /dev/null && echo works'],
    [
      'python3',
      `python3 -c 'import socket, subprocess; socket.socketpair(); subprocess.run(["echo", "works"])'`,
    ],
    ['curl', 'curl -s "http://127.0.0.1:$PORT/"'],
  ])('%s works where it is installed', async (name, script) => {
    const server = http.createServer((_request, response) => response.end('works\n'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as net.AddressInfo;
    const workspace = temporaryFolder();
    const { stdout, stderr } = await ended(
      confinedScript(workspace, `command -v ${name} > /dev/null || { echo works; exit; }; ${script}`, {
        network: true,
        env: { PORT: String(port) },
      }),
    );
    expect({ stdout, stderr }).toEqual({ stdout: 'works\n', stderr: '' });
  });
});

describe.runIf(sandbox !== undefined)('no process is left', () => {
  const leave = (mark: string) =>
    `(setsid sh -c 'sleep ${mark} & exec sleep ${mark}' > /dev/null 2>&1 &) ; nohup sleep ${mark} > /dev/null 2>&1 & echo started`;

  test('of a program that ended', async () => {
    const mark = newRun();
    const { stdout } = await ended(confinedScript(temporaryFolder(), leave(mark)));
    expect(stdout).toBe('started\n');
    expect(survivors(mark)).toEqual([]);
  });

  test('of one that is stopped', async () => {
    const mark = newRun();
    const running = confinedScript(temporaryFolder(), `trap '' TERM; ${leave(mark)}; sleep ${mark}`);
    await new Promise<void>((resolve) => running.pipe.open({ data: () => resolve(), end: () => {} }));
    expect(survivors(mark)).not.toEqual([]);
    await running.stop({ stdinMs: 0, termMs: 0 });
    expect(survivors(mark)).toEqual([]);
  });

  test.each(['namespace', 'warden', 'group'])(
    'of a host that is killed, nor what was made for it: %s',
    async (containment) => {
      const mark = newRun();
      const [state, workspace] = [temporaryFolder(), temporaryFolder({ file: '' })];
      const host = confinedHost([state, home, workspace, containment, `${leave(mark)}; sleep ${mark}`]);
      await new Promise<void>((resolve) => host.stdout?.once('data', () => resolve()));
      expect(fs.readdirSync(workspace)).toContain('pluglot.json');
      expect(controlGroups(host.pid)).not.toEqual([]);
      host.kill('SIGKILL');
      // In a group alone nobody is left who could clean up: the next host does.
      if (containment === 'group') {
        await new Promise((resolve) => host.once('exit', resolve));
        const next = confinedHost([state, home, temporaryFolder(), 'group', 'true']);
        await new Promise((resolve) => next.once('exit', resolve));
      }
      await expect
        .poll(() => [survivors(mark), fs.readdirSync(workspace), controlGroups(host.pid)])
        .toEqual([[], ['file'], []]);
    },
  );
});

describe.runIf(sandbox?.limits.processes === true)('the limit on processes', () => {
  test('holds, and is that of the program alone', async () => {
    const { stdout } = await ended(
      confinedScript(
        temporaryFolder(),
        'for i in $(seq 60); do sleep 5 & done 2>/dev/null; jobs -p | wc -l; kill %1',
        {
          limits: { processes: 20 },
        },
      ),
    );
    expect(Number(stdout)).toBeLessThanOrEqual(20);
  });

  test('holds for a fork bomb', async () => {
    const { stdout } = await ended(
      confinedScript(
        temporaryFolder(),
        'b() { b | b & }; b 2>/dev/null; sleep 0.3; ls -d /proc/[0-9]* | wc -l; kill -9 -1',
        {
          limits: { processes: 30 },
        },
      ),
    );
    expect(stdout === '' || Number(stdout) <= 32).toBe(true);
    expect(controlGroups(process.pid)).toEqual([]);
  });
});

describe.runIf(sandbox?.limits.memoryBytes === true)('the limit on memory', () => {
  test('ends a program that takes more, and what it wrote to /tmp counts', async () => {
    const limits = { memoryBytes: 128 * 1024 * 1024 };
    const hog = `'${process.execPath}' -e 'const all = []; for (;;) all.push(Buffer.alloc(16 << 20, 1))'`;
    const [memory, files] = await Promise.all([
      ended(confinedScript(temporaryFolder(), `${hog}; echo $?`, { limits })),
      ended(
        confinedScript(
          temporaryFolder(),
          'head -c 300M /dev/zero > /tmp/large; ls -s /tmp | grep -c large; stat -c %s /tmp/large',
          { limits },
        ),
      ),
    ]);
    expect(memory.stdout).not.toMatch(/^0$/m);
    expect(files.stdout).not.toContain(String(300 * 1024 * 1024));
  });
});

describe.runIf(sandbox !== undefined && process.getuid?.() === 0)('a host that is not root', () => {
  test('confines programs the same way', async () => {
    const [state, workspace, itsHome] = [
      temporaryFolder(),
      temporaryFolder({ out: link('/etc') }),
      temporaryFolder({ secret: SECRET }),
    ];
    for (const folder of [state, workspace, itsHome]) execFileSync('chown', ['-R', '65534:65534', folder]);
    const script =
      'echo x > file; echo x > /usr/x; cat ~/secret; ls ~; git init -q . ; echo {} > pluglot.json; id -u; cat /etc/shadow';
    const host = confinedHost([state, itsHome, workspace, 'auto', script], { uid: 65534, gid: 65534 });
    const chunks: Buffer[] = [];
    host.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    await new Promise((resolve) => host.once('close', resolve));
    expect(Buffer.concat(chunks).toString()).toBe('65534\n');
    expect(fs.readdirSync(workspace)).toEqual(['file', 'out']);
  });
});

function confinedHost(args: readonly string[], user: { uid?: number; gid?: number } = {}): ChildProcess {
  const loader = path.join(root, 'node_modules/tsx/dist/loader.mjs');
  const file = path.join(root, 'test/hosts/confined-host.ts');
  const child = spawnProcess(process.execPath, ['--import', loader, file, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'] },
    ...user,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Those that a host has made. */
function controlGroups(host: number | undefined): string[] {
  const found = execFileSync('find', ['/sys/fs/cgroup', '-maxdepth', '6', '-name', `pluglot-${host}-*`], {
    stdio: 'pipe',
  });
  return found.toString().split('\n').filter(Boolean);
}

async function listening(options: net.ListenOptions): Promise<net.Server> {
  const server = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => void server.listen(options, resolve));
  onTestFinished(() => void server.close());
  return server;
}
