// Finds the permissions.json files that hold here: the one that was named or the project's, and the user's own.
import path from 'node:path';
import { isJsonObject, isJsonArray, type Json } from '../../../base/json.ts';
import { MiB } from '../../../base/units.ts';
import { sentences, shown } from '../../../base/text.ts';
import { userTrustStore } from '../../../fleet/discovery/discover.ts';
import { type Environment, homeFolders, projectFiles } from '../../../fleet/discovery/config-places.ts';
import type { Problem } from '../../../fleet/discovery/problem.ts';
import { changeFile, readTextFile } from '../../../fleet/trust/files.ts';
import { type OpenPlace, otherWriters } from '../../../fleet/trust/paths.ts';
import type { TrustStore } from '../../../fleet/trust/trust-store.ts';
import { callRule } from '../rules/call-rule.ts';
import { type DeadRule, deadRules } from '../rules/rule-list.ts';
import { parsePermissions } from './parse-permissions.ts';
import type { Permissions, PermissionSource } from './permissions-file.ts';

export interface ReadPermissionsOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly home: string;
  /** Instead of the project's; the user has named it, so it is trusted. */
  readonly file?: string;
  /** @default `trust.json` in the user's state folder */
  readonly trust?: TrustStore;
}

const FILE_LIMIT = MiB;

/** Never throws for what is on disk: what is wrong is in `problems`, and a file that is broken denies. */
export async function readPermissions(options: ReadPermissionsOptions): Promise<Permissions> {
  const places = await placesOf(options);
  const found = await Promise.all(places.map((place) => readPlace(place, options)));
  return {
    sources: found.flatMap(({ source }) => source ?? []),
    problems: found.flatMap(({ problems }) => problems),
  };
}

interface Place {
  readonly file: string;
  /** `named` and `user` are the user's own. */
  readonly kind: 'named' | 'project' | 'user';
  readonly folder: string;
  /** A second file of the project that is not looked at. */
  readonly ignored?: string;
}

async function placesOf({ cwd, env, home, file }: ReadPermissionsOptions): Promise<Place[]> {
  const user: Place = {
    file: path.join(homeFolders(env, home).config, 'permissions.json'),
    kind: 'user',
    folder: cwd,
  };
  const named = file ?? (env['PERMISSION_CONFIG_PATH'] || undefined);
  if (named !== undefined) {
    const own: Place = { file: path.resolve(cwd, named), kind: 'named', folder: cwd };
    return own.file === user.file ? [user] : [own, user];
  }
  const project = await projectFiles(cwd);
  const names = ['permissions.json', '.permissions.json'];
  const [first, second] = (await Promise.all(names.map((name) => project.nearest(name)))).filter(
    (one) => one !== undefined && one !== user.file,
  );
  if (first === undefined) return [user];
  const ignored = second === undefined ? {} : { ignored: second };
  return [{ file: first, kind: 'project', folder: path.dirname(first), ...ignored }, user];
}

interface Found {
  readonly source?: PermissionSource;
  readonly problems: readonly Problem[];
}

async function readPlace(
  { file, kind, folder, ignored }: Place,
  options: ReadPermissionsOptions,
): Promise<Found> {
  const read = await readTextFile(file, FILE_LIMIT);
  if (read.kind === 'absent' && kind !== 'named') return { problems: [] };
  if (read.kind !== 'read') {
    const reason = read.kind === 'absent' ? 'the file is not there' : `the file ${read.reason}`;
    return {
      source: { file, folder, trusted: false, broken: reason },
      problems: [denying({ file, severity: 'error', reason, wayOut: 'Make it readable.' })],
    };
  }
  const { content, problems } = await parsePermissions(file, read.text);
  const open = kind === 'project' ? undefined : otherWriters(file, 'configuration');
  const trust =
    kind === 'project' || open !== undefined ? await projectTrust(file, read.sha256, options) : undefined;
  const trusted = trust === undefined || trust.trusted;
  const source: PermissionSource = {
    file,
    folder,
    trusted,
    ...(content
      ? { content }
      : { broken: problems[0] ? `line ${problems[0].line ?? 1}: ${problems[0].reason}` : 'it is broken' }),
  };
  return {
    source,
    problems: [
      ...(content ? problems : problems.map(denying)),
      ...(content ? deadRules(content).map((dead) => allowsNothing(file, dead)) : []),
      ...(trust && !trust.trusted ? [loosensNothing(file, open === undefined ? trust : because(open))] : []),
      ...(ignored === undefined ? [] : [notLookedAt(ignored, file)]),
    ],
  };
}

async function projectTrust(file: string, sha256: string, options: ReadPermissionsOptions) {
  const check = await (options.trust ?? userTrustStore(options)).checker();
  return check({ root: path.dirname(file), subjects: [file], evidence: [{ file, sha256 }] });
}

function because({ place, reason, fix }: OpenPlace): { reason: string; wayOut: string } {
  return { reason: `${place} ${reason}`, wayOut: fix };
}

function denying(problem: Problem): Problem {
  const effect = 'Until it is fixed, everything but what a person types is denied.';
  return { ...problem, wayOut: sentences(problem.wayOut, effect), denies: true };
}

function loosensNothing(file: string, { reason, wayOut }: { reason: string; wayOut: string }): Problem {
  return {
    file,
    severity: 'warning',
    reason: `only what tightens counts of it (its deny rules, its sanitization, a stricter defaultPolicy), since ${reason}`,
    wayOut,
  };
}

/** Rules of before, when more than plain words was read. */
function allowsNothing(file: string, { rule, reason }: DeadRule): Problem {
  return {
    file,
    severity: 'warning',
    reason: `the rule "${rule}" allows nothing: it ${reason}, and rules allow plain words alone`,
    wayOut: 'Remove it; such lines are asked about (docs/permissions.md).',
  };
}

function notLookedAt(file: string, first: string): Problem {
  const reason = `not used, since there is "${first}" too`;
  return { file, severity: 'warning', reason, wayOut: 'Keep one of them.' };
}

/** `allow` and `deny` came with the new meaning, so that nothing in them can have had another. */
export function changedRules(sources: readonly PermissionSource[]): readonly string[] {
  return sources.flatMap(({ file, content }) => {
    const lists = [content?.whitelist, content?.classes?.readOnly];
    const tools = lists.flatMap((list) => list?.tools ?? []);
    const patterns = lists.flatMap((list) => list?.patterns ?? []);
    const words = [...tools.map(ofName), ...patterns.map(ofArguments)].filter((one) => one !== undefined);
    return [...new Set(words)].map((one) => `${file}: ${one}`);
  });
}

/** A `*` went over the end of the plugin. */
function ofName(source: string): string | undefined {
  const rule = callRule(source);
  if (rule?.plugin !== undefined || !/[*?]/.test(source) || source === '*') return undefined;
  return `the rule ${shown(source)} names tools by their own names now, of no matter which plugin. For all tools of a plugin, write PLUGIN__*.`;
}

/** Further arguments made another call of it. */
function ofArguments(source: string): string | undefined {
  const rule = callRule(source);
  if (!rule || rule.arguments.length === 0 || rule.isExact || /[(,]\s*\*\s*[,)]/.test(source))
    return undefined;
  const before = source.trim().replace(/\)$/, ', !*)');
  return `the rule ${shown(source)} allows calls with further arguments too now. For those without, write ${shown(before)}.`;
}

const FILE_MAX = MiB;

/** Those that were never reported; they are recorded as reported. What cannot be recorded is reported again. */
export async function unreported(texts: readonly string[], file: string): Promise<readonly string[]> {
  if (texts.length === 0) return [];
  let fresh = texts;
  try {
    await changeFile(file, { mode: 0o600 }, async () => {
      const read = await readTextFile(file, FILE_MAX);
      const reported = read.kind === 'read' ? reportedIn(read.text) : [];
      fresh = texts.filter((text) => !reported.includes(text));
      return fresh.length === 0
        ? undefined
        : `${JSON.stringify({ reported: [...reported, ...fresh] }, undefined, 2)}\n`;
    });
  } catch {
    return fresh;
  }
  return fresh;
}

function reportedIn(text: string): readonly string[] {
  try {
    // Looked at below.
    const value = JSON.parse(text) as Json;
    const reported = isJsonObject(value) ? value['reported'] : undefined;
    return isJsonArray(reported) ? reported.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
