// How commands that run another one take it: which options come first, and what is between them and the command.
import type { OptionSpec } from './options.ts';

export interface Wrapper extends OptionSpec {
  /** Words between the options and the command: a time, a user, a file. */
  readonly skip?: number;
  /** `NAME=value` may stand before the command. */
  readonly assigns?: true;
  /** The rest is a script: all words joined, or the first alone. */
  readonly text?: 'all' | 'first';
  /** Which shell reads that. @default sh */
  readonly shell?: 'bash';
  /** Options with which nothing is run. */
  readonly unless?: readonly string[];
  /** Words that it reads are added to the command. */
  readonly appends?: true;
  /** The option that says in the place of what they are put instead, and those that undo it. */
  readonly replaces?: string;
  readonly replacesNot?: readonly string[];
}

const plain: Wrapper = {};

export const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  // Of the shell itself.
  ['builtin', plain],
  ['command', { flags: 'pvV', unless: ['v', 'V'] }],
  ['eval', { text: 'all', shell: 'bash' }],
  ['exec', { flags: 'cl', valued: 'a' }],
  ['trap', { flags: 'lpP', text: 'first', unless: ['l', 'p', 'P'] }],
  // As somebody else, or in another environment.
  [
    'env',
    {
      flags: 'i0v',
      // Not -C: what a command does depends on where it is.
      valued: 'u',
      long: ['ignore-environment', 'null', 'debug'],
      longValued: ['unset'],
      isDashFlag: true,
      assigns: true,
    },
  ],
  [
    'sudo',
    {
      flags: 'AbEHknPS',
      valued: 'CghpTtUu',
      long: [
        'askpass',
        'background',
        'preserve-env',
        'set-home',
        'non-interactive',
        'stdin',
        'reset-timestamp',
      ],
      longValued: ['user', 'group', 'host', 'prompt', 'close-from', 'command-timeout'],
      assigns: true,
    },
  ],
  ['doas', { flags: 'Ln', valued: 'Cu' }],
  ['gosu', { skip: 1 }],
  ['su-exec', { skip: 1 }],
  ['pkexec', { longValued: ['user'] }],
  ['chroot', { longValued: ['groups', 'userspec'], long: ['skip-chdir'], skip: 1 }],
  ['fakeroot', plain],
  ['fakechroot', plain],
  ['eatmydata', plain],
  ['chronic', plain],
  ['ifne', { flags: 'n' }],
  ['catchsegv', plain],
  ['multitime', plain],
  ['run-one', plain],
  ['choom', { valued: 'n', longValued: ['adjust'] }],
  ['setuidgid', { skip: 1 }],
  // With limits, priorities and times.
  ['nohup', plain],
  ['setsid', { flags: 'cfw', long: ['ctty', 'fork', 'wait'] }],
  ['nice', { flags: '0123456789', valued: 'n', longValued: ['adjustment'] }],
  ['ionice', { flags: 't', valued: 'cn', longValued: ['class', 'classdata'] }],
  ['chrt', { flags: 'bfiorR', skip: 1 }],
  ['taskset', { flags: 'ac', skip: 1 }],
  [
    'timeout',
    {
      flags: 'fpv',
      valued: 'ks',
      long: ['preserve-status', 'foreground', 'verbose'],
      longValued: ['kill-after', 'signal'],
      skip: 1,
    },
  ],
  [
    'time',
    {
      flags: 'apvqlV',
      valued: 'fo',
      longValued: ['format', 'output'],
      long: ['append', 'portability', 'verbose', 'quiet'],
    },
  ],
  ['faketime', { flags: 'm', skip: 1 }],
  // With other streams.
  ['stdbuf', { valued: 'ioe', longValued: ['input', 'output', 'error'] }],
  ['unbuffer', { flags: 'p' }],
  ['winpty', plain],
  [
    'watch',
    {
      flags: 'bcdegtpwC',
      valued: 'nq',
      long: ['color', 'no-title', 'differences', 'errexit', 'chgexit', 'beep'],
      longValued: ['interval'],
      text: 'all',
    },
  ],
  // Looking on.
  // Not -o, which can run a command, and not -E, which sets variables.
  ['strace', { flags: 'cCdDfFhiknqrtTvVxyYz', valued: 'abeIOpPsSuX' }],
  // With words that they read.
  [
    'xargs',
    {
      flags: '0oprtx',
      valued: 'adEILnPs',
      attached: 'el',
      long: ['null', 'interactive', 'no-run-if-empty', 'verbose', 'exit', 'open-tty'],
      longValued: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-lines', 'max-chars', 'eof'],
      appends: true,
      replaces: 'I',
      replacesNot: ['L', 'l', 'n', 'max-args', 'max-lines'],
    },
  ],
  // One program that is many.
  ['busybox', plain],
  ['toybox', plain],
]);

/** They run something, and how is not followed. */
export const opaqueWrappers: ReadonlySet<string> = new Set(
  (
    'parallel flock ltrace at batch crontab su runuser script unshare nsenter systemd-run run0 bwrap firejail proxychains proxychains4 ' +
    'torsocks rlwrap xvfb-run dbus-run-session dbus-launch ssh-agent setarch linux32 linux64 i386 x86_64 prlimit numactl cgexec ' +
    'entr daemonize start-stop-daemon logsave valgrind perf gdb lldb tini dumb-init chpst softlimit caffeinate expect ' +
    'cpulimit aa-exec systemd-inhibit xterm proot uclampset coresched xdg-terminal-exec nix-shell cross-env dotenv s6-setuidgid pee sem ' +
    // Of the shell: names mean something else afterwards, or text is run that was kept or is kept for later.
    'alias fc bind enable complete compgen ' +
    'screen tmux zellij dtach abduco nodemon watchexec socat ncat hyperfine make-kpkg capsh setpriv sg newgrp'
  ).split(' '),
);

/** Builtins that run something with this option alone. */
export const runningOptions: ReadonlyMap<string, RegExp> = new Map([
  ['mapfile', /^-[^-]*C/],
  ['readarray', /^-[^-]*C/],
  ['jobs', /^-[^-]*x/],
  // What they are given to read is no file that somebody could have looked at.
  ['.', /^\/(?:dev|proc)\//],
  ['source', /^\/(?:dev|proc)\//],
]);
