// Programs that try to get out of the sandbox. Nothing outside may change, nothing hidden be read, nobody be reached, no process be left.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import dgram from 'node:dgram';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRun, survivors } from '../support/fleet/process-table.ts';
import { confinedScript, ended, home, sandbox, SECRET } from '../support/gate/confined.ts';
import { writeFiles } from '../support/temporary-folder.ts';

/** A script that exits with 0 where it got what it wanted. */
type Attack = readonly [name: string, script: string];

const write: readonly Attack[] = [
  ['an absolute path', 'echo x > "$OUT/new"'],
  ['an absolute path that is there', 'echo x > "$OUT/kept"'],
  ['a path with ..', 'echo x > "../$(basename "$OUT")/new"'],
  ['a long path with ..', 'echo x > "../../../../../../../..$OUT/new"'],
  ['a link to a folder', 'echo x > out/new'],
  ['a link to a file', 'echo x > out-file'],
  ['appending to a link', 'echo x >> out-file'],
  ['a link of its own', 'ln -s "$OUT" l1 && echo x > l1/new'],
  ['a link to the root', 'ln -s / l2 && echo x > "l2$OUT/new"'],
  ['/proc/1/root', 'echo x > "/proc/1/root$OUT/new"'],
  ['/proc/self/root', 'echo x > "/proc/self/root$OUT/new"'],
  ['/proc/self/cwd', 'echo x > "/proc/self/cwd/../$(basename "$OUT")/new"'],
  ['/proc/PPID/cwd', 'echo x > "/proc/$PPID/cwd$OUT/new"'],
  ['descriptors that were left open', 'for d in /proc/self/fd/*; do echo x > "$d/../new"; done; false'],
  ['a hard link to a file outside', 'ln "$OUT/kept" hard && echo x > hard'],
  ['a hard link to a program of the system', 'ln /usr/bin/env env2'],
  ['a hard link to a protected file', 'ln .git/config config2 && echo x >> config2'],
  ['a rename to outside', 'touch f && mv f "$OUT/new"'],
  ['a rename of the workspace', 'cd .. && mv "$W" "$W-2"'],
  ['removing what is outside', 'rm -rf "$OUT" && [ -e "$OUT/kept" ]'],
  ['find with -delete', 'find -- "$OUT" -name kept -delete && [ -e "$OUT/kept" ]'],
  ['/usr', 'echo x > /usr/new'],
  ['/usr/bin', 'cp /bin/sh /usr/bin/new'],
  ['/etc', 'echo x > /etc/new'],
  ['/etc/passwd', 'echo x >> /etc/passwd'],
  ['the root', 'echo x > /new'],
  ['modes of the system', 'chmod 777 /usr/bin/env'],
  ['times of the system', 'touch /usr/bin/env'],
  ['/var', 'mkdir -p /var/new'],
  ['/sys', 'ls /sys/kernel'],
  [
    'the files of the kernel: core_pattern',
    'cat /proc/sys/kernel/core_pattern > pattern && cat pattern > /proc/sys/kernel/core_pattern',
  ],
  [
    'the files of the kernel: modprobe',
    'cat /proc/sys/kernel/modprobe > modprobe && cat modprobe > /proc/sys/kernel/modprobe',
  ],
  ['the files of the kernel: sysrq', ': >> /proc/sysrq-trigger'],
  ['mounting the system writable', 'mount -o remount,rw,bind /usr'],
  ['mounting the root writable', 'mount -o remount,rw /'],
  ['mounting over .git', 'mount -t tmpfs none .git'],
  ['unmounting what protects .git', 'umount .git || umount -l .git/config'],
  ['mounting a new /proc', 'mkdir -p p && mount -t proc none p'],
  ['mounting a control group', 'mkdir -p c && mount -t cgroup -o memory none c || mount -t cgroup2 none c'],
  ['a user namespace', 'unshare -Ur true'],
  ['a mount namespace', 'unshare -m true'],
  ['a user namespace by clone', `perl -e 'exit(syscall(56, 0x10000011, 0, 0, 0, 0) >= 0 ? 0 : 1)'`],
  ['the namespaces of the first process', 'nsenter -t 1 -m true'],
  ['a root of its own', 'chroot / true'],
  ['a program that runs as its owner', 'cp /bin/sh s1 && chmod u+s s1 && [ -u s1 ]'],
  [
    'a program that runs as its owner, made so',
    `perl -MFcntl -e 'exit(sysopen(my $f, "s2", O_CREAT|O_WRONLY, 04755) && -u "s2" ? 0 : 1)'`,
  ],
  ['keys of the kernel by their names', 'grep -q . /proc/keys'],
  ['a block device', 'mknod disk b 254 0 && head -c 1 disk'],
  ['a character device', 'mknod mem c 1 1 && head -c 1 mem'],
  ['disks', 'cat /dev/vda /dev/sda /dev/nvme0n1 /dev/dm-0 | head -c 1 | grep -q .'],
  ['memory of the kernel', 'head -c 1 /dev/mem || head -c 1 /dev/kmem || head -c 1 /proc/kcore'],
  ['files by their handle', `perl -e 'exit(syscall(304, -100, pack("x128"), 0) >= 0 ? 0 : 1)'`],
  ['becoming another user', `perl -e '$< = 12345; $> = 12345; exit($< == 12345 ? 0 : 1)'`],
  [
    'programs that run as root',
    'cp /bin/sh s && chmod 4755 s && chown 0:0 s && grep -q "NoNewPrivs:.*0" /proc/self/status',
  ],
  [
    'capabilities',
    'grep -q "CapEff:.*[1-9a-f]" /proc/self/status || grep -q "CapBnd:.*[1-9a-f]" /proc/self/status',
  ],
];

const read: readonly Attack[] = [
  ['a file outside', 'cat "$OUT/secret"'],
  ['a file outside by a link', 'cat out/secret'],
  ['a file outside by a new link', 'ln -sf "$OUT/secret" l3 && cat l3'],
  ['a file outside by /proc/1/root', 'cat "/proc/1/root$OUT/secret"'],
  ['a file outside by /proc/1/cwd', 'cat "/proc/1/cwd$OUT/secret"'],
  ['keys in the home folder', 'cat "$HOME/.ssh/id_ed25519"'],
  ['anything in the home folder', 'cat "$HOME/notes"'],
  ['the home folders of others', 'ls /home/* /root/.*rc'],
  ['the state of pluglot', 'cat "$HOME/state/token"'],
  ['the state of pluglot in the workspace', 'cat state/token'],
  ['the state of pluglot in the workspace by a move', 'mv state state-2; cat state-2/token'],
  ['passwords of the system', 'cat /etc/shadow || cat /etc/sudoers || ls /etc/ssl/private'],
  ['/run, /var and /boot', 'ls -d /run/* /var/lib/* /var/log/* /boot/*'],
  ['processes of the host', 'ls -d /proc/[0-9]* | grep -q "/proc/$HOST_PID$"'],
  ['variables of the host', 'cat /proc/*/environ | tr "\\0" "\\n" | grep -q HOST_SECRET'],
  ['the log of the kernel', 'dmesg | grep -q . || head -c 1 /dev/kmsg'],
  ['keys of the kernel', `perl -e 'exit(syscall(250, 0, -3, 1) >= 0 ? 0 : 1)'`],
  [
    'everything',
    `grep -rsq ${SECRET} / --include=secret --include=token --include=id_ed25519 --include=notes`,
  ],
];

const reach: readonly Attack[] = [
  [
    'a server on 127.0.0.1',
    node('require("net").connect(+process.env.TCP, "127.0.0.1").on("connect", yes).on("error", no)'),
  ],
  [
    'a server on ::1',
    node('require("net").connect(+process.env.TCP, "::1").on("connect", yes).on("error", no)'),
  ],
  [
    'a server on 0.0.0.0',
    node('require("net").connect(+process.env.TCP, "0.0.0.0").on("connect", yes).on("error", no)'),
  ],
  [
    'a server by UDP',
    node('require("dgram").createSocket("udp4").send("x", +process.env.UDP, "127.0.0.1", no)'),
  ],
  [
    'an abstract socket',
    node(`require("net").connect("\\0" + process.env.ABSTRACT).on("connect", yes).on("error", no)`),
  ],
  [
    'a socket outside',
    node('require("net").connect(process.env.OUT + "/socket").on("connect", yes).on("error", no)'),
  ],
  ['a socket by a link', node('require("net").connect("out/socket").on("connect", yes).on("error", no)')],
  [
    'a socket of the host in the workspace',
    node('require("net").connect("state/socket").on("connect", yes).on("error", no)'),
  ],
  [
    'sockets of services',
    'ls /run/docker.sock /var/run/docker.sock /run/dbus/system_bus_socket /tmp/.X11-unix',
  ],
  ['the agent of ssh', '[ -n "$SSH_AUTH_SOCK$DBUS_SESSION_BUS_ADDRESS$XDG_RUNTIME_DIR$DISPLAY" ]'],
  ['the host of a virtual machine', `perl -MSocket -e 'exit(socket(my $s, 40, SOCK_STREAM, 0) ? 0 : 1)'`],
  ['packets', `perl -MSocket -e 'exit(socket(my $s, 17, SOCK_RAW, 0) ? 0 : 1)'`],
  ['interfaces', `grep -qv "lo:\\|Inter\\|face" /proc/net/dev`],
  ['io_uring', `perl -e 'exit(syscall(425, 1, pack("x120")) >= 0 ? 0 : 1)'`],
];

const processes: readonly Attack[] = [
  ['a process outside', 'kill -0 "$HOST_PID"'],
  [
    'a process outside, by a number that it guesses',
    'for p in $(seq 3 400); do [ "$p" != "$$" ] && kill -CONT "$p" 2>/dev/null && [ ! -d "/proc/$p" ] && exit 0; done; exit 1',
  ],
  ['tracing a process outside', `perl -e 'exit(syscall(101, 16, $ENV{HOST_PID}, 0, 0) >= 0 ? 0 : 1)'`],
  ['memory of a process outside', 'head -c 1 "/proc/$HOST_PID/mem"'],
  ['priorities of processes outside', 'renice -n 5 -p "$HOST_PID"'],
  ['the first process', 'kill -9 1; sleep 0.01; [ ! -d /proc/1 ]'],
  [
    'input of a terminal',
    `perl -e 'for my $f ("/dev/tty", "/dev/stdin", "/dev/console") { open(my $t, "+<", $f) or next; my $c = "x"; exit 0 if ioctl($t, 0x5412, $c); } exit 1'`,
  ],
  ['the terminal', 'echo x > /dev/tty'],
  ['terminals of others', 'ls /dev/pts/[0-9]* || ls /dev/tty[0-9]*'],
  ['shared memory', 'ipcs -m | grep -q "^0x" || ls /dev/shm/*'],
  ['the name of the machine', 'hostname sandboxed'],
  ['the clock', 'date -s 2001-01-01'],
];

describe.runIf(sandbox !== undefined)('a program in the sandbox does not reach', () => {
  const folder = path.join(home, 'work');
  const outside = path.join(home, 'outside');
  let env: Record<string, string>;
  let reached: string[];
  const close: (() => void)[] = [];
  let before: string;

  beforeAll(async () => {
    writeFiles(home, {
      'outside/kept': 'kept',
      'outside/secret': SECRET,
      '.ssh/id_ed25519': SECRET,
      notes: SECRET,
      'state/token': SECRET,
      'work/state/token': SECRET,
      'work/file': 'text',
    });
    fs.symlinkSync(outside, path.join(folder, 'out'));
    fs.symlinkSync(path.join(outside, 'kept'), path.join(folder, 'out-file'));
    execFileSync('git', ['init', '-q'], { cwd: folder });
    reached = [];
    const listen = async (at: net.ListenOptions | string) => {
      const server = net.createServer((socket) => {
        reached.push(JSON.stringify(at));
        socket.destroy();
      });
      await new Promise<void>((resolve) => void server.listen(at, resolve));
      close.push(() => server.close());
      return server.address();
    };
    const tcp = (await listen({ port: 0, host: '::' })) as net.AddressInfo;
    const abstract = `pluglot-${newRun()}`;
    await listen(`\0${abstract}`);
    await listen(path.join(outside, 'socket'));
    await listen(path.join(folder, 'state', 'socket'));
    const udp = dgram.createSocket('udp4', () => reached.push('udp'));
    await new Promise<void>((resolve) => void udp.bind(0, '127.0.0.1', resolve));
    close.push(() => udp.close());
    env = {
      W: folder,
      OUT: outside,
      HOST_PID: String(process.pid),
      TCP: String(tcp.port),
      UDP: String(udp.address().port),
      ABSTRACT: abstract,
      SSH_AUTH_SOCK: path.join(outside, 'socket'),
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${path.join(outside, 'socket')}`,
      XDG_RUNTIME_DIR: outside,
      DISPLAY: ':0',
    };
    before = stateOf(home);
  });
  afterAll(() => close.forEach((each) => each()));

  describe.each([
    ['files outside', write],
    ['what is hidden', read],
    ['anybody', reach],
    ['processes outside', processes],
  ] as const)('%s', (_, attacks) => {
    let codes: Map<string, string>;
    let printed: string;

    beforeAll(async () => {
      const { stdout, stderr } = await ended(
        confinedScript(folder, BATCH, { args: attacks.map(([, script]) => script), env }),
      );
      printed = stdout + stderr;
      codes = new Map(
        [...printed.matchAll(/^§(\d+) (\d+)$/gm)].map(([, index = '', code = '']) => [index, code]),
      );
    });

    test.each(attacks.map(([name], index) => [name, String(index)] as const))('by %s', (name, index) => {
      expect({ name, code: codes.get(index), printed }).toMatchObject({
        code: expect.stringMatching(/^[1-9]/) as string,
      });
    });

    test('and nothing was changed, read or reached', () => {
      expect(printed).not.toContain(SECRET);
      expect(stateOf(home)).toBe(before);
      expect(reached).toEqual([]);
      expect(survivors('PLUGLOT-ATTACK')).toEqual([]);
    });
  });
});

/** Runs each of its arguments in a shell of its own, and tells how they ended. */
const BATCH = `
index=0
for script; do
  ( cd "$W" && exec /bin/sh -c "$script" ) < /dev/null
  echo "§$index $?"
  index=$((index + 1))
done
`;

function node(expression: string): string {
  const code = `const yes = () => process.exit(0), no = () => process.exit(1); ${expression}; setTimeout(no, 1000)`;
  return `'${process.execPath}' -e '${code}'`;
}

/** All that is outside of the workspace, and what the workspace has at its top. */
function stateOf(folder: string): string {
  return execFileSync('find', ['.', '-path', './work/*', '-prune', '-o', '-printf', '%p %m %s %U %T@\\n'], {
    cwd: folder,
  })
    .toString()
    .split('\n')
    .filter((line) => !line.startsWith('./work '))
    .sort()
    .join('\n');
}
