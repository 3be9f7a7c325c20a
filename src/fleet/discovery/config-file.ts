// Reads pluglot.json. What is wrong is reported and left out; the rest counts.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import type { PluginLimits, PluginSpec, ProgramSpec, RemoteSpec } from '../../definition/plugin-spec.ts';
import { readTextFile } from '../trust/files.ts';
import { complaintsAbout, type Complaint } from './config-schema.ts';
import { countingMembers, type JsonMember, type JsonNode, memberOf, readJson } from './json-reader.ts';
import { type Problem, syntaxProblem } from './problem.ts';

/** A plugin as pluglot.json writes it; schemas/pluglot.schema.json is the same for editors. */
export interface PluginEntry
  extends
    Partial<Pick<ProgramSpec, 'command' | 'args' | 'cwd' | 'env'>>,
    Partial<Pick<RemoteSpec, 'url' | 'headers' | 'oauth'>>,
    Omit<PluginSpec, 'name' | 'start' | 'manifest' | 'notes'> {
  readonly disabled?: boolean;
}

interface ConfigFile {
  readonly file: string;
  readonly sha256: string;
  /** In the order of the file. */
  readonly plugins: readonly { readonly name: string; readonly line: number; readonly entry: PluginEntry }[];
  readonly folders: readonly { readonly folder: string; readonly line: number }[];
  readonly limits: PluginLimits;
  readonly gate?: SectionEntry;
  readonly server?: SectionEntry;
  readonly profiles?: SectionEntry;
}

/** Keys whose values are read by other folders. */
export type Section = 'gate' | 'server' | 'profiles';

/** One of them, as far as it matches the schema. */
export interface SectionEntry {
  readonly value: JsonObject;
  readonly line: number;
  /** Part of it is wrong and left out, so that it may allow more than intended. */
  readonly isBroken: boolean;
}

export interface ConfigReading {
  /** Undefined if the file is missing or cannot be read. */
  readonly config?: ConfigFile;
  readonly problems: readonly Problem[];
}

const CONFIG_LIMIT = MiB;

const DUPLICATES_SHOWN = 20;

export async function readConfigFile(file: string): Promise<ConfigReading> {
  const read = await readTextFile(file, CONFIG_LIMIT);
  switch (read.kind) {
    case 'absent':
      return { problems: [] };
    case 'unreadable':
      return {
        problems: [{ file, severity: 'error', reason: `the file ${read.reason}`, wayOut: 'It is left out.' }],
      };
    case 'read': {
      const { problems, usable, ...parsed } = await parseConfig(file, read.text);
      if (!usable) return { problems };
      return { config: { file, sha256: read.sha256, ...parsed }, problems };
    }
  }
}

type Parsed = Pick<ConfigFile, 'plugins' | 'folders' | 'limits' | Section> & {
  readonly problems: readonly Problem[];
  readonly usable: boolean;
};

export async function parseConfig(file: string, text: string): Promise<Parsed> {
  const nothing = { plugins: [], folders: [], limits: {}, usable: false };
  const reading = readJson(text, { syntax: 'jsonc' });
  if (!reading.ok) {
    const wayOut = 'Correct the line; until then the file is left out.';
    return { ...nothing, problems: [syntaxProblem(file, reading, wayOut)] };
  }
  const { root, duplicates } = reading;
  const complaints = await complaintsAbout(file, root);
  const problems = [
    ...duplicates.slice(0, DUPLICATES_SHOWN).map(({ key, line }) => twice(file, key, line)),
    ...complaints.map(({ problem }) => problem),
  ];
  if (!isJsonObject(root.value)) return { ...nothing, problems };

  const wrong = new Set(complaints.map(({ path: [first = '', second] }) => keyOf(first, second)));
  const plugins = countingMembers(memberOf(root, 'plugins')?.node).flatMap(({ key: name, line, node }) => {
    // Without errors against the schema it is an entry.
    if (!wrong.has(keyOf('plugins', name))) return [{ name, line, entry: node.value as PluginEntry }];
    // "disabled" counts even if other keys are wrong.
    const isOff = isJsonObject(node.value) && node.value['disabled'] === true;
    return isOff ? [{ name, line, entry: { disabled: true } }] : [];
  });
  const folders = (memberOf(root, 'folders')?.node.items ?? [])
    .filter((_, index) => !wrong.has(keyOf('folders', String(index))))
    .flatMap((node) => (typeof node.value === 'string' ? [{ folder: node.value, line: node.line }] : []));
  const limits = memberOf(root, 'limits')?.node.value;
  const sections = (['gate', 'server', 'profiles'] as const).flatMap((key) => {
    const entry = sectionIn(root, key, complaints, duplicates);
    return entry === undefined ? [] : [[key, entry] as const];
  });
  return {
    plugins,
    folders,
    ...Object.fromEntries(sections),
    // Without errors against the schema these are limits.
    limits:
      limits === undefined || complaints.some(({ path }) => path[0] === 'limits')
        ? {}
        : (limits as PluginLimits),
    problems,
    usable: true,
  };
}

/** An error in one key leaves out that key alone. */
function sectionIn(
  root: JsonNode,
  section: Section,
  complaints: readonly Complaint[],
  duplicates: readonly JsonMember[],
): SectionEntry | undefined {
  const node = memberOf(root, section)?.node;
  if (node === undefined) return undefined;
  const wrong = complaints.flatMap(({ path: [first, key] }) => (first === section ? [key] : []));
  const counting = countingMembers(node).filter(({ key }) => !wrong.includes(key));
  const value = Object.fromEntries(counting.map(({ key, node: { value } }) => [key, value]));
  // The rules that do not count could be those that forbid.
  const isTwice = duplicates.some(
    ({ key, start, node: { end } }) =>
      (start >= node.start && end <= node.end) ||
      (key === section && root.members?.some((member) => member.start === start) === true),
  );
  return { value, line: node.line, isBroken: wrong.length > 0 || isTwice };
}

function keyOf(section: string, item = ''): string {
  return JSON.stringify([section, item]);
}

function twice(file: string, key: string, line: number): Problem {
  return {
    file,
    line,
    severity: 'warning',
    reason: `"${key.slice(0, 80)}" is defined twice; the last one counts`,
    wayOut: 'Remove one of them.',
  };
}
