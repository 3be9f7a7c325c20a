// One key of all configurations that hold here, such as `gate`, each with whether it may loosen anything. Reading executes nothing.
import path from 'node:path';
import { MiB } from '../base/units.ts';
import { parseConfig, type Section, type SectionEntry } from '../fleet/discovery/config-file.ts';
import { userTrustStore } from '../fleet/discovery/discover.ts';
import { absolute } from '../fleet/discovery/entry-spec.ts';
import { type Environment, homeFolders, projectFiles } from '../fleet/discovery/config-places.ts';
import { memberOf, readJson } from '../fleet/discovery/json-reader.ts';
import type { Problem } from '../fleet/discovery/problem.ts';
import { canonical, otherWriters } from '../fleet/trust/paths.ts';
import { readTextFile } from '../fleet/trust/files.ts';
import type { Trust, TrustStore } from '../fleet/trust/trust-store.ts';

export interface GateFilesOptions {
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
  /** Instead of the project's `pluglot.json`; it counts like the user's own. */
  readonly configFile?: string | undefined;
  /** @default `trust.json` in the state folder */
  readonly trust?: TrustStore | undefined;
}

export interface HeldEntry extends SectionEntry {
  readonly file: string;
  /** The user's, or named by the user. */
  readonly isOwn: boolean;
  readonly trust: Trust;
}

export interface Entries {
  /** The user's first. */
  readonly entries: readonly HeldEntry[];
  readonly problems: readonly Problem[];
  /** What of the user's own could not be read, and may have denied something. */
  readonly broken?: string;
}

/** `before`: of a file that cannot be read now, its earlier content still counts. */
export async function readEntries(
  section: Section,
  options: GateFilesOptions,
  before?: readonly HeldEntry[],
): Promise<Entries> {
  const { cwd, home, env, configFile, trust = userTrustStore({ env, home }) } = options;
  const userFile = path.join(homeFolders(env, home).config, 'pluglot.json');
  const other =
    configFile === undefined
      ? await (await projectFiles(cwd)).nearest('pluglot.json')
      : absolute(configFile, { folder: cwd, home });
  const isOneFile = other !== undefined && (await canonical(other)) === (await canonical(userFile));
  const files = [
    { file: userFile, isOwn: true },
    ...(other === undefined || isOneFile ? [] : [{ file: other, isOwn: configFile !== undefined }]),
  ];
  const readings = await Promise.all(files.map((one) => readEntry(section, one.file, one.isOwn, trust)));
  const broken = readings.find((one) => one.broken !== undefined)?.broken;
  return {
    entries: readings.flatMap(({ entry, isUnread }, at) => {
      const isKept = isUnread === true && before !== undefined;
      return (isKept ? before.find(({ file }) => file === files[at]?.file) : entry) ?? [];
    }),
    problems: readings.flatMap(({ problems }) => problems),
    ...(broken === undefined ? {} : { broken }),
  };
}

interface Reading {
  readonly entry?: HeldEntry;
  /** Not all of it could be read. */
  readonly isUnread?: true;
  readonly problems: readonly Problem[];
  readonly broken?: string;
}

async function readEntry(
  section: Section,
  file: string,
  isOwn: boolean,
  store: TrustStore,
): Promise<Reading> {
  const read = await readTextFile(file, MiB);
  if (read.kind === 'absent') return { problems: [] };
  // Discovery reports it.
  const unread = (why: string): Reading => ({
    isUnread: true,
    problems: [],
    ...(isOwn && { broken: `${file} ${why}` }),
  });
  if (read.kind === 'unreadable') return unread(read.reason);
  const json = readJson(read.text, { syntax: 'jsonc' });
  if (!json.ok) return unread('is not JSON');
  if (json.root.members === undefined) return unread('is not a configuration');
  // Most have none: then nothing that checks it is loaded.
  if (memberOf(json.root, section) === undefined) return { problems: [] };
  const { [section]: held, problems: all } = await parseConfig(file, read.text);
  if (held === undefined) return unread('is not a configuration');
  const trust = await trustOf(file, read, isOwn, store);
  const problems = all.filter(({ reason }) => reason.startsWith(section));
  const entry = { ...held, file, isOwn, trust };
  if (!held.isBroken) return { entry, problems };
  const broken = `the key "${section}" of ${file} has something that cannot be used`;
  return { entry, problems, isUnread: true, ...(trust.trusted && { broken }) };
}

async function trustOf(
  file: string,
  { sha256 }: { readonly sha256: string },
  isOwn: boolean,
  store: TrustStore,
): Promise<Trust> {
  // A file that others can change counts like one of a project.
  if (isOwn && otherWriters(file, 'configuration') === undefined) return { trusted: true };
  const check = await store.checker();
  return check({ root: path.dirname(file), subjects: [], evidence: [{ file, sha256 }] });
}
