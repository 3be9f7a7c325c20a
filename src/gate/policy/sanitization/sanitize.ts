// What command lines and paths may not do where a permissions file has a block for it, whatever its lists allow.
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isJsonArray, isJsonObject, type Json } from '../../../base/json.ts';
import { decodedText, withoutControls } from '../../../base/unescaped.ts';
import { textOf } from '../../../base/text.ts';
import { canonical, isInside } from '../../../fleet/trust/paths.ts';
import type { PathScope, Sanitization, PermissionSource } from '../file/permissions-file.ts';
import { callRule, forbidsName } from '../rules/call-rule.ts';
import type { PolicyCall } from '../rules/matching.ts';
import { commandsOf } from '../shell/read-line.ts';

export interface Objection {
  readonly kind: 'deny' | 'ask';
  readonly method: 'dangerous' | 'paths';
  readonly reason: string;
}

interface Sanitizer {
  /** Whether it has anything to say of command lines: then one that cannot be read may hide it. */
  readonly watchesCommands: boolean;
  /** At once unless paths have to be followed. */
  check(call: PolicyCall): Objection | undefined | Promise<Objection | undefined>;
}

interface SanitizerParts {
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

/** File systems may ignore case. */
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
  const { texts, shell } = call;
  if (shell) return shell.reading.kind === 'literal' ? pathsIn(commandsOf(shell.reading.steps)) : undefined;
  const keys = Object.entries(scope.arguments ?? {})
    .filter(([tool]) => {
      const rule = callRule(tool);
      return rule !== undefined && forbidsName(rule, call);
    })
    .flatMap(([, list]) => list);
  const values = keys.flatMap((key) => [...texts.valuesOf(key)]);
  if (texts.isTooMuch) return wrong('it has more arguments than can be compared');
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

interface NamedPaths {
  readonly paths: readonly string[];
  /** They are paths only when there is something that is called so: `-fout` may be `-f out`. */
  readonly perhaps: readonly string[];
  /** Why there may be others; undefined when these are all. */
  readonly unclear?: string;
  /** Why it cannot be known what they are, so that the call is denied. */
  readonly wrong?: string;
}

/** More paths than a command line names. */
const PATHS_LIMIT = 1000;

function pathsIn(commands: readonly (readonly string[])[]): NamedPaths {
  const paths = new Set<string>();
  const perhaps = new Set<string>();
  for (const [name = '', ...rest] of commands) {
    if (name.includes('/')) paths.add(name);
    for (const word of rest) {
      for (const path of isFileAddress(word) ? filePaths(word) : [pathIn(word)])
        if (path !== '') paths.add(path);
      for (const one of otherPaths(word)) if (!paths.has(one)) perhaps.add(one);
      if (paths.size + perhaps.size > PATHS_LIMIT)
        return { paths: [], perhaps: [], unclear: `it names more than ${PATHS_LIMIT} paths` };
    }
  }
  return { paths: [...paths], perhaps: [...perhaps] };
}

/** Of arguments that are paths: each as it is written, without what parsers drop, decoded, and as an address. */
function pathsOfValues(values: readonly Json[]): NamedPaths {
  const paths = new Set<string>();
  const rest = [...values];
  for (const value of rest) {
    if (rest.length > PATHS_LIMIT) return wrong(`it names more than ${PATHS_LIMIT} paths`);
    if (isJsonArray(value)) rest.push(...value.slice(0, PATHS_LIMIT + 1));
    else if (isJsonObject(value)) return wrong('a path is an object, and what it names is not known');
    else {
      const text = textOf(value);
      if (text.length > PATH_LIMIT) return wrong('a path is too long');
      for (const one of pathsInText(text)) paths.add(one);
    }
  }
  return { paths: [...paths], perhaps: [] };
}

function wrong(reason: string): NamedPaths {
  return { paths: [], perhaps: [], wrong: reason };
}

function pathsInText(text: string): string[] {
  const plain = withoutControls(text).trim();
  return [text, plain, decodedText(plain), ...(isFileAddress(plain) ? filePaths(plain) : [])];
}

function isFileAddress(text: string): boolean {
  return /^file:/i.test(text);
}

/** With and without its end after `?` or `#`, which may be part of a name. */
function filePaths(address: string): string[] {
  const whole = address.replaceAll('\\', '/').replace(/^file:(?:\/\/[^/]*)?/i, '');
  return [whole, whole.replace(/[?#].*/s, '')].flatMap((one) => [one, decodedText(one)]);
}

/** Empty where it is not one. */
function pathIn(word: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(word)) return '';
  const value = /^[-\w]+=(?=[^=])/.exec(word)?.[0];
  if (value !== undefined) return word.slice(value.length);
  // -I/usr/include, -zcf/etc/x
  const attached = /^-\w+?(?=[~/]|\.\.)/.exec(word)?.[0];
  if (attached !== undefined) return word.slice(attached.length);
  return word.startsWith('-') ? '' : word;
}

/** A folder may be called `x=y`, `http:` or `-x`, and an option may have its value in the same word, or take it from a file by `@`. */
function otherPaths(word: string): string[] {
  const ends = [word];
  const value = word.indexOf('=') + 1;
  if (value > 0) ends.push(word.slice(value));
  // Longer ones are not looked for.
  if (/^-[^-]/.test(word))
    for (let at = Math.max(2, word.length - PATH_LIMIT); at < word.length; at += 1) ends.push(word.slice(at));
  return ends
    .flatMap((one) => (one.startsWith('@') ? [one, one.slice(1)] : [one]))
    .filter((one) => one !== '');
}

interface Scope {
  /** Why the path is outside; undefined when it is not. */
  check(given: string): Promise<string | undefined>;
  /** The same, where it is a path only when there is something that is called so. */
  checkIfThere(given: string): Promise<string | undefined>;
}

interface ScopeParts {
  /** Where relative paths of calls start. */
  readonly cwd: string;
  /** Where relative roots start. */
  readonly folder: string;
  readonly home: string;
}

/** More than systems open. */
const PATH_LIMIT = 4096;

async function pathScope(rules: PathScope, { cwd, folder, home }: ScopeParts): Promise<Scope> {
  const written = rules.allowed_roots ?? ['.'];
  const expanded = [
    ...written.map((root) => homeless(root, home)),
    ...(rules.allow_home === true ? [home] : []),
  ];
  const roots = await Promise.all(expanded.map((root) => canonicalOf(path.resolve(folder, root))));
  const absoluteRoots = await Promise.all(
    expanded.filter((root) => path.isAbsolute(root)).map((root) => canonicalOf(root)),
  );
  const known = new Map<string, Promise<string | undefined>>();

  const check = async (given: string): Promise<string | undefined> => {
    if (given.length > PATH_LIMIT) return 'a path is too long';
    if (given.startsWith('~') && rules.allow_home !== true) return `"${given}" is in a home folder`;
    if (/^~[^/]/.test(given)) return `"${given}" is in the home folder of another user`;
    if (rules.block_parent_traversal !== false && given.split(/[\\/]/).includes('..'))
      return `"${given}" goes up by ".."`;
    const asWritten = homeless(given, home);
    const end = await target(cwd, asWritten);
    if (end === undefined) return `it is unknown where "${given}" leads`;
    if (!roots.some((root) => isInside(root, end)))
      return `"${given}" leads to "${end}", outside of the allowed folders`;
    const mayBeAbsolute = rules.block_absolute === false || absoluteRoots.some((root) => isInside(root, end));
    return path.isAbsolute(asWritten) && !mayBeAbsolute ? `"${given}" is absolute` : undefined;
  };
  const checkOnce = (given: string) => {
    const answer = known.get(given) ?? check(given);
    known.set(given, answer);
    return answer;
  };
  return {
    check: checkOnce,
    async checkIfThere(given) {
      if (given.length > PATH_LIMIT) return undefined;
      const first = /^\/*[^/]*/.exec(given)?.[0] ?? '';
      return (await isThere(path.resolve(cwd, first))) ? checkOnce(given) : undefined;
    },
  };
}

function homeless(given: string, home: string): string {
  return given === '~' || given.startsWith('~/') ? path.join(home, given.slice(1)) : given;
}

async function canonicalOf(root: string): Promise<string> {
  return (await canonical(root)) ?? root;
}

async function isThere(place: string): Promise<boolean> {
  return lstat(place).then(
    () => true,
    () => false,
  );
}

/** Step by step, as the system goes: `link/..` is above the folder that the link leads to. */
export async function target(cwd: string, given: string): Promise<string | undefined> {
  const parts = given.split(separators);
  if (!parts.includes('..')) return leadsTo(path.resolve(cwd, given));
  let place: string | undefined = path.isAbsolute(given) ? path.parse(given).root : await leadsTo(cwd);
  for (const part of parts) {
    if (place === undefined) return undefined;
    if (part === '' || part === '.') continue;
    place = part === '..' ? path.dirname(place) : await leadsTo(path.join(place, part));
  }
  return place;
}

const separators = path.sep === '/' ? /\// : /[\\/]/;

/** Of something that is not there yet: where its folder leads. A link that leads nowhere leads anywhere. */
async function leadsTo(file: string): Promise<string | undefined> {
  const rest: string[] = [];
  for (let place = file; ; place = path.dirname(place)) {
    try {
      return path.join(await realpath(place), ...rest);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') return undefined;
      if (await isLink(place)) return undefined;
      if (path.dirname(place) === place) return undefined;
      rest.unshift(path.basename(place));
    }
  }
}

async function isLink(place: string): Promise<boolean> {
  try {
    return (await lstat(place)).isSymbolicLink();
  } catch {
    return false;
  }
}
