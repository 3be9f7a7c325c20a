// The sources of the configuration, otherwise those of the first file that exists and may be used.
import path from 'node:path';
import { isJsonObject, type JsonObject, isJsonArray, textsIn, type Json } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import { sentence, shellWord, shown } from '../../base/text.ts';
import { readJson } from '../../fleet/discovery/json-reader.ts';
import { otherWriters } from '../../fleet/trust/paths.ts';
import { readTextFile } from '../../fleet/trust/files.ts';
import type { HostPorts } from '../host-ports.ts';
import type { ReferencesConfig } from './settings.ts';
import type { Source } from './source.ts';

export interface Catalog {
  readonly sources: readonly Source[];
  /** The channel of the file; not checked yet. */
  readonly channel: JsonObject;
  /** Sentences with the way out, for people, models and the log. */
  readonly problems: readonly string[];
}

export type CatalogPorts = Pick<HostPorts, 'env' | 'cwd' | 'configFolder' | 'isTrusted'>;

const FILE_LIMIT = MiB;

export async function loadCatalog(
  config: Pick<ReferencesConfig, 'config_path' | 'sources'>,
  ports: CatalogPorts,
): Promise<Catalog> {
  const file = await firstFile(config.config_path, ports);
  const { channel, problems } = file;
  if (config.sources === undefined) return file;
  const own = readSources(config.sources, 'The configuration', ports.cwd);
  return { sources: own.sources, channel, problems: [...problems, ...own.problems] };
}

interface Candidate {
  readonly file: string;
  /** The user has named it: then it has to be there. */
  readonly isNamed?: boolean;
  /** A cloned project has its own files, and models read their content. */
  readonly isOfProject?: boolean;
}

async function firstFile(named: string | undefined, ports: CatalogPorts): Promise<Catalog> {
  const problems: string[] = [];
  for (const { file, isNamed, isOfProject } of candidates(named, ports)) {
    const reading = await readTextFile(file, FILE_LIMIT);
    // Files that other users can write are refused; a file of the project is trusted by its content.
    const open = isOfProject ? undefined : otherWriters(file, 'configuration');
    if (reading.kind === 'absent') {
      if (isNamed)
        problems.push(`${file} does not exist, so its reference sources are left out. Correct the path.`);
    } else if (reading.kind === 'unreadable') {
      problems.push(`${file} ${reading.reason}, so it is left out.`);
    } else if (isOfProject && !(await ports.isTrusted(file, reading.sha256))) {
      problems.push(
        `${file} is not trusted, or has changed since it was, so its reference sources are left out. Read it, then: pluglot trust add ${shellWord(ports.cwd)}`,
      );
    } else if (open !== undefined) {
      problems.push(
        `${open.place} ${open.reason}, so the reference sources of ${file} are left out. Close it: ${open.fix}`,
      );
    } else {
      const parsed = parse(file, reading.text);
      return { ...parsed, problems: [...problems, ...parsed.problems] };
    }
    if (isNamed) break;
  }
  return { sources: [], channel: {}, problems };
}

function candidates(named: string | undefined, { env, cwd, configFolder }: CatalogPorts): Candidate[] {
  const chosen = named ?? env['REFERENCES_CONFIG_PATH'];
  if (chosen !== undefined && chosen !== '') return [{ file: path.resolve(cwd, chosen), isNamed: true }];
  return [
    { file: path.join(cwd, 'references.json'), isOfProject: true },
    { file: path.join(cwd, '.references.json'), isOfProject: true },
    { file: path.join(configFolder, 'references.json') },
  ];
}

function parse(file: string, text: string): Catalog {
  const nothing = { sources: [], channel: {} };
  const reading = readJson(text, { syntax: 'jsonc' });
  if (!reading.ok) {
    return {
      ...nothing,
      problems: [
        `${file}:${reading.line} is not JSON: ${sentence(reading.reason)} Correct the line; until then the file is left out.`,
      ],
    };
  }
  const { value } = reading.root;
  if (!isJsonObject(value))
    return { ...nothing, problems: [`${file} is not an object with "sources", so it is left out.`] };
  const { version, sources, channel = value['actor'] } = value;
  if (version !== undefined && version !== '1.0' && version !== '1' && version !== 1)
    return {
      ...nothing,
      problems: [`${file} has the version ${JSON.stringify(version)}; expected "1.0". It is left out.`],
    };
  const read = readSources(sources, file, path.dirname(file));
  return { ...read, channel: isJsonObject(channel) ? channel : {} };
}

interface ReadSources {
  readonly sources: readonly Source[];
  readonly problems: readonly string[];
}

const SOURCES_MAX = 200;
const TAGS_MAX = 50;
const TAG_LONGEST = 60;

/** In characters. */
const longest = {
  id: 100,
  name: 200,
  description: 1000,
  path: 4096,
  url: 4096,
  server: 200,
  tool: 200,
  content: 200_000,
  fetchHint: 1000,
} as const;

/**
 * @param where the subject of problems, such as the file
 * @param folder where relative paths begin
 */
export function readSources(value: Json | undefined, where: string, folder: string): ReadSources {
  if (value === undefined) return { sources: [], problems: [] };
  if (!isJsonArray(value))
    return { sources: [], problems: [`${where}: "sources" is ${shown(value)}; expected a list`] };
  const problems: string[] = [];
  const sources = new Map<string, Source>();
  if (value.length > SOURCES_MAX)
    problems.push(`${where} has ${value.length} sources; the first ${SOURCES_MAX} of them are used`);
  for (const [index, item] of value.slice(0, SOURCES_MAX).entries()) {
    try {
      const source = readSource(item, folder);
      if (sources.has(source.id)) throw new InvalidSource(`the id ${shown(source.id)} is already used`);
      sources.set(source.id, source);
    } catch (thrown) {
      if (!(thrown instanceof InvalidSource)) throw thrown;
      problems.push(`${where}: sources[${index}] is left out: ${thrown.message}`);
    }
  }
  return { sources: [...sources.values()], problems };
}

/** The message ends a sentence. */
class InvalidSource extends Error {}

function readSource(value: Json, folder: string): Source {
  if (!isJsonObject(value)) throw new InvalidSource(`it is ${shown(value)}; expected an object`);
  const { type = 'local', mode = 'selectable', args = {} } = value;
  if (mode !== 'auto' && mode !== 'selectable')
    throw new InvalidSource(`mode is ${shown(mode)}; expected "auto" or "selectable"`);
  const fetchHint = optionalIn(value, 'fetchHint');
  const common = {
    id: textIn(value, 'id'),
    name: textIn(value, 'name'),
    description: optionalIn(value, 'description') ?? '',
    mode,
    tags: readTags(value['tags']),
    ...(fetchHint === undefined ? {} : { fetchHint }),
    folder,
  } as const;
  switch (type) {
    case 'local':
      return { ...common, type, path: textIn(value, 'path') };
    case 'url':
      return { ...common, type, url: textIn(value, 'url') };
    case 'mcp':
      if (!isJsonObject(args)) throw new InvalidSource(`args is ${shown(args)}; expected an object`);
      return { ...common, type, server: textIn(value, 'server'), tool: textIn(value, 'tool'), args };
    case 'inline':
      return { ...common, type, content: textIn(value, 'content') };
    default:
      throw new InvalidSource(`type is ${shown(type)}; expected "local", "url", "mcp" or "inline"`);
  }
}

function textIn(value: JsonObject, key: keyof typeof longest): string {
  const text = value[key];
  if (typeof text !== 'string' || text.trim() === '')
    throw new InvalidSource(`${key} is ${text === undefined ? 'missing' : shown(text)}; expected a text`);
  if (text.length > longest[key])
    throw new InvalidSource(`${key} has ${text.length} characters; expected at most ${longest[key]}`);
  return key === 'content' ? text : text.trim();
}

function optionalIn(value: JsonObject, key: keyof typeof longest): string | undefined {
  return value[key] === undefined || value[key] === '' ? undefined : textIn(value, key);
}

function readTags(value: Json = []): readonly string[] {
  const tags = textsIn(value).map((tag) => tag.trim());
  if (!isJsonArray(value) || tags.length !== value.length)
    throw new InvalidSource(`tags is ${shown(value)}; expected a list of texts`);
  if (tags.length > TAGS_MAX || tags.some((tag) => tag.length > TAG_LONGEST))
    throw new InvalidSource(`tags are up to ${TAGS_MAX}, of up to ${TAG_LONGEST} characters each`);
  return [...new Set(tags.filter((tag) => tag !== ''))];
}
