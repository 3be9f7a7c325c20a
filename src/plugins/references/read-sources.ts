// Sources from a file or a configuration: unknown in, typed out. One that makes no sense is told and left out.
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import type { Source } from './source.ts';

export interface ReadSources {
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
 * @param where the list stands, to begin a sentence with
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
      if (sources.has(source.id)) throw new NoSource(`the id ${shown(source.id)} is taken already`);
      sources.set(source.id, source);
    } catch (thrown) {
      if (!(thrown instanceof NoSource)) throw thrown;
      problems.push(`${where}: sources[${index}] is left out: ${thrown.message}`);
    }
  }
  return { sources: [...sources.values()], problems };
}

/** Says what is wrong, to end a sentence with. */
class NoSource extends Error {}

function readSource(value: Json, folder: string): Source {
  if (!isJsonObject(value)) throw new NoSource(`it is ${shown(value)}; expected an object`);
  const { type = 'local', mode = 'selectable', args = {} } = value;
  if (mode !== 'auto' && mode !== 'selectable')
    throw new NoSource(`mode is ${shown(mode)}; expected "auto" or "selectable"`);
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
      if (!isJsonObject(args)) throw new NoSource(`args is ${shown(args)}; expected an object`);
      return { ...common, type, server: textIn(value, 'server'), tool: textIn(value, 'tool'), args };
    case 'inline':
      return { ...common, type, content: textIn(value, 'content') };
    default:
      throw new NoSource(`type is ${shown(type)}; expected "local", "url", "mcp" or "inline"`);
  }
}

function textIn(value: JsonObject, key: keyof typeof longest): string {
  const text = value[key];
  if (typeof text !== 'string' || text.trim() === '')
    throw new NoSource(`${key} is ${text === undefined ? 'missing' : shown(text)}; expected a text`);
  if (text.length > longest[key])
    throw new NoSource(`${key} has ${text.length} characters; expected at most ${longest[key]}`);
  return key === 'content' ? text : text.trim();
}

function optionalIn(value: JsonObject, key: keyof typeof longest): string | undefined {
  return value[key] === undefined || value[key] === '' ? undefined : textIn(value, key);
}

function readTags(value: Json = []): readonly string[] {
  const tags = textsIn(value).map((tag) => tag.trim());
  if (!isJsonArray(value) || tags.length !== value.length)
    throw new NoSource(`tags is ${shown(value)}; expected a list of texts`);
  if (tags.length > TAGS_MAX || tags.some((tag) => tag.length > TAG_LONGEST))
    throw new NoSource(`tags are up to ${TAGS_MAX}, of up to ${TAG_LONGEST} characters each`);
  return [...new Set(tags.filter((tag) => tag !== ''))];
}
