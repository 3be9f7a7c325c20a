// What command lines and paths may not do where a permissions file has a block for it, whatever its lists allow.
import path from 'node:path';
import type { PermissionSource } from '../file/permissions.ts';
import type { PathScope, Sanitization } from '../file/permissions-file.ts';
import type { PolicyCall } from '../rules/call.ts';
import { callRule, forbidsName, valuesOf } from '../rules/call-rule.ts';
import { commandsOf } from '../shell/read-line.ts';
import { pathScope } from './path-scope.ts';
import { type NamedPaths, pathsIn, pathsOfValues } from './paths-in-words.ts';

export interface Objection {
  readonly kind: 'deny' | 'ask';
  readonly method: 'dangerous' | 'paths';
  readonly reason: string;
}

export interface Sanitizer {
  /** Whether it has anything to say of command lines: then one that cannot be read may hide it. */
  readonly watchesCommands: boolean;
  /** At once unless paths have to be followed. */
  check(call: PolicyCall): Objection | undefined | Promise<Objection | undefined>;
}

export interface SanitizerParts {
  readonly cwd: string;
  readonly home: string;
}

export function createSanitizer(sources: readonly PermissionSource[], parts: SanitizerParts): Sanitizer {
  const blocks = sources.flatMap(({ content, folder }) => {
    const rules = content?.sanitization;
    return rules && rules.enabled !== false ? [{ rules, folder }] : [];
  });
  return {
    watchesCommands: blocks.length > 0,
    check(call) {
      for (const { rules } of blocks) {
        const reason = call.shell && commandObjection(call, rules);
        if (reason) return { kind: 'deny', method: 'dangerous', reason };
      }
      const scopes = blocks.flatMap(({ rules, folder }) => {
        const scope = rules.path_scope;
        const paths = scope && scope.enabled !== false ? pathsOf(call, scope) : undefined;
        return scope && paths ? [{ scope, folder, paths }] : [];
      });
      return scopes.length === 0 ? undefined : pathObjection(call, scopes, parts);
    },
  };
}

function commandObjection({ shell }: PolicyCall, rules: Sanitization): string | undefined {
  if (!shell) return undefined;
  const commands = shell.reading.kind === 'literal' ? commandsOf(shell.reading.steps) : [];
  if (rules.block_shell_metacharacters !== false && commands.length !== 1)
    return 'it has shell syntax, which is blocked here';
  const custom = new Set(rules.custom_blocked_commands?.map(comparable));
  const allowed = new Set(rules.allowed_dangerous_commands?.map(comparable));
  for (const [word = ''] of commands) {
    const name = comparable(word);
    // mkfs.ext4 is mkfs.
    const names = [name, name.split('.', 1)[0] ?? ''];
    if (custom.has(name)) return `"${name}" is one of the blocked commands`;
    if (rules.block_dangerous_commands === false || names.some((one) => allowed.has(one))) continue;
    if (names.some((one) => dangerousCommands.has(one))) return `"${name}" is a dangerous command`;
  }
  return undefined;
}

/** File systems may not tell case apart. */
function comparable(name: string): string {
  return path.basename(name).toLowerCase();
}

export const dangerousCommands: ReadonlySet<string> = new Set(
  // Becoming another user; the system; destroying; the network; other processes, and who may do what.
  (
    'sudo su doas pkexec run0 runuser ' +
    'shutdown reboot halt poweroff init telinit systemctl service mount umount iptables nft crontab visudo passwd useradd userdel usermod ' +
    'rm rmdir unlink mkfs mke2fs dd shred wipefs fdisk sfdisk parted truncate ' +
    'curl wget nc ncat netcat socat ssh scp sftp ftp telnet ' +
    'kill killall pkill chmod chown chgrp chattr setfacl'
  ).split(' '),
);

/** Undefined for a call of which no argument is a path. */
function pathsOf(call: PolicyCall, scope: PathScope): NamedPaths | undefined {
  const { subject, shell } = call;
  if (shell) return shell.reading.kind === 'literal' ? pathsIn(commandsOf(shell.reading.steps)) : undefined;
  const keys = Object.entries(scope.arguments ?? {})
    .filter(([tool]) => {
      const rule = callRule(tool);
      return rule !== undefined && forbidsName(rule, call);
    })
    .flatMap(([, list]) => list);
  const values = keys.flatMap((key) => valuesOf(subject.args, key));
  return values.length === 0 ? undefined : pathsOfValues(values);
}

async function pathObjection(
  { shell }: PolicyCall,
  scopes: readonly { readonly scope: PathScope; readonly folder: string; readonly paths: NamedPaths }[],
  { cwd, home }: SanitizerParts,
): Promise<Objection | undefined> {
  let unclear: string | undefined;
  for (const { scope, folder, paths } of scopes) {
    if (paths.wrong !== undefined) return { kind: 'deny', method: 'paths', reason: paths.wrong };
    const outer = await pathScope(scope, { cwd, folder, home });
    const own = shell?.use.cwd;
    const outside = own === undefined ? undefined : await outer.check(own);
    if (outside !== undefined) return { kind: 'deny', method: 'paths', reason: outside };
    const inner =
      own === undefined ? outer : await pathScope(scope, { cwd: path.resolve(cwd, own), folder, home });
    for (const one of paths.paths) {
      const reason = await inner.check(one);
      if (reason !== undefined) return { kind: 'deny', method: 'paths', reason };
    }
    for (const one of paths.perhaps) {
      const reason = await inner.checkIfThere(one);
      if (reason !== undefined) return { kind: 'deny', method: 'paths', reason };
    }
    unclear ??= paths.unclear;
  }
  return unclear === undefined ? undefined : { kind: 'ask', method: 'paths', reason: unclear };
}
