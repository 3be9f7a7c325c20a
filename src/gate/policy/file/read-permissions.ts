// Finds the permissions.json files that hold here: the one that was named or the project's, and the user's own.
import path from 'node:path';
import { MiB } from '../../../base/limits.ts';
import { userTrustStore } from '../../../fleet/discovery/discover.ts';
import { type Environment, homeFolders } from '../../../fleet/discovery/home-folders.ts';
import type { Problem } from '../../../fleet/discovery/problem.ts';
import { projectFiles } from '../../../fleet/discovery/project-files.ts';
import { readTextFile } from '../../../fleet/trust/regular-file.ts';
import type { TrustStore } from '../../../fleet/trust/trust-store.ts';
import { type DeadRule, deadRules } from '../rules/dead-rules.ts';
import { parsePermissions } from './parse-permissions.ts';
import type { Permissions, PermissionSource } from './permissions.ts';

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
    const wayOut = 'Until it can be read, everything but what a person types is denied.';
    return {
      source: { file, folder, trusted: false, broken: reason },
      problems: [{ file, severity: 'error', reason, wayOut }],
    };
  }
  const { content, problems } = await parsePermissions(file, read.text);
  const trust = kind === 'project' ? await projectTrust(file, read.sha256, options) : undefined;
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
      ...problems,
      ...(content ? deadRules(content).map((dead) => allowsNothing(file, dead)) : []),
      ...(trust && !trust.trusted ? [loosensNothing(file, trust)] : []),
      ...(ignored === undefined ? [] : [notLookedAt(ignored, file)]),
    ],
  };
}

async function projectTrust(file: string, sha256: string, options: ReadPermissionsOptions) {
  const check = await (options.trust ?? userTrustStore(options)).checker();
  return check({ root: path.dirname(file), subjects: [file], evidence: [{ file, sha256 }] });
}

function loosensNothing(file: string, { reason, wayOut }: { reason: string; wayOut: string }): Problem {
  return {
    file,
    severity: 'warning',
    reason: `only what tightens counts of it (its blacklist, its sanitization, a stricter defaultPolicy), since ${reason}`,
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
