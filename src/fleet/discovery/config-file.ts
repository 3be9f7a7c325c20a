// pluglot.json as far as it is right: what is wrong is told and left out, the rest counts.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { MiB } from '../../base/limits.ts';
import type { PluginLimits, PluginSpec, ProgramSpec, RemoteSpec } from '../../definition/plugin-spec.ts';
import { readTextFile } from '../trust/regular-file.ts';
import { complaintsAbout, type Complaint } from './config-schema.ts';
import { countingMembers, type JsonNode, memberOf, readJson } from './json-reader.ts';
import type { Problem } from './problem.ts';
import { placesIn } from './text-places.ts';

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
  /** The permission bits. */
  readonly mode: number;
  /** In the order of the file. */
  readonly plugins: readonly { readonly name: string; readonly line: number; readonly entry: PluginEntry }[];
  readonly folders: readonly { readonly folder: string; readonly line: number }[];
  readonly limits: PluginLimits;
  readonly gate?: SectionEntry;
  readonly server?: SectionEntry;
  readonly profiles?: SectionEntry;
}

/** Keys that are read by whoever uses them. */
export type Section = 'gate' | 'server' | 'profiles';

/** One of them: what the schema has found nothing wrong with. Whoever uses it knows its form. */
export interface SectionEntry {
  readonly value: JsonObject;
  readonly line: number;
  /** Something in it is wrong and left out, so that it may be looser than it was meant. */
  readonly isBroken: boolean;
}

export interface ConfigReading {
  /** Undefined when there is no such file, or none that can be read. */
  readonly config?: ConfigFile;
  readonly problems: readonly Problem[];
}

const CONFIG_LIMIT = MiB;

/** Nobody reads more. */
const TOLD_LIMIT = 20;

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
      return { config: { file, sha256: read.sha256, mode: read.mode, ...parsed }, problems };
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
  const placeOf = placesIn(text);
  if (!reading.ok) {
    const place = placeOf(reading.offset);
    const wayOut = 'Correct the line; until then the file is left out.';
    return {
      ...nothing,
      problems: [{ file, ...place, severity: 'error', reason: `no JSON: ${reading.reason}`, wayOut }],
    };
  }
  const { root, duplicates } = reading;
  const complaints = await complaintsAbout(file, placeOf, root);
  const problems = [
    ...duplicates.slice(0, TOLD_LIMIT).map(({ key, start }) => twice(file, key, placeOf(start).line)),
    ...complaints.map(({ problem }) => problem),
  ];
  if (!isJsonObject(root.value)) return { ...nothing, problems };

  const wrong = new Set(complaints.map(({ path: [first = '', second] }) => keyOf(first, second)));
  const lineOf = (node: JsonNode) => placeOf(node.start).line;
  const plugins = countingMembers(memberOf(root, 'plugins')?.node).flatMap(({ key: name, start, node }) => {
    const { line } = placeOf(start);
    // What the schema has found nothing wrong with is an entry.
    if (!wrong.has(keyOf('plugins', name))) return [{ name, line, entry: node.value as PluginEntry }];
    // Whatever else is wrong with it, that it is not to run is heard.
    const isOff = isJsonObject(node.value) && node.value['disabled'] === true;
    return isOff ? [{ name, line, entry: { disabled: true } }] : [];
  });
  const folders = (memberOf(root, 'folders')?.node.items ?? [])
    .filter((_, index) => !wrong.has(keyOf('folders', String(index))))
    .flatMap((node) => (typeof node.value === 'string' ? [{ folder: node.value, line: lineOf(node) }] : []));
  const limits = memberOf(root, 'limits')?.node.value;
  const sections = (['gate', 'server', 'profiles'] as const).flatMap((key) => {
    const entry = sectionIn(root, key, complaints, lineOf);
    return entry === undefined ? [] : [[key, entry] as const];
  });
  return {
    plugins,
    folders,
    ...Object.fromEntries(sections),
    // Again what the schema has found nothing wrong with.
    limits:
      limits === undefined || complaints.some(({ path }) => path[0] === 'limits')
        ? {}
        : (limits as PluginLimits),
    problems,
    usable: true,
  };
}

/** What is wrong with one key of it makes that key alone not count. */
function sectionIn(
  root: JsonNode,
  section: Section,
  complaints: readonly Complaint[],
  lineOf: (node: JsonNode) => number,
): SectionEntry | undefined {
  const node = memberOf(root, section)?.node;
  if (node === undefined) return undefined;
  const wrong = complaints.flatMap(({ path: [first, key] }) => (first === section ? [key] : []));
  const counting = countingMembers(node).filter(({ key }) => !wrong.includes(key));
  const value = Object.fromEntries(counting.map(({ key, node: { value } }) => [key, value]));
  return { value, line: lineOf(node), isBroken: wrong.length > 0 };
}

function keyOf(section: string, item = ''): string {
  return JSON.stringify([section, item]);
}

function twice(file: string, key: string, line: number): Problem {
  return {
    file,
    line,
    severity: 'warning',
    reason: `"${key.slice(0, 80)}" stands there twice; the last one counts`,
    wayOut: 'Remove one of them.',
  };
}
