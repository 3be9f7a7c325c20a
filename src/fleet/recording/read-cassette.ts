// A cassette from its file. It may come from anybody: every line is checked, and what is wrong is told with its number.
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { MiB } from '../../base/limits.ts';
import { sentence } from '../../base/sentence.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import { dialectNames, type DialectName } from '../../definition/plugin-spec.ts';
import { readTextFile } from '../trust/regular-file.ts';
import { CASSETTE_VERSION, type Cassette, type CassetteEntry, type CassetteHeader } from './cassette.ts';

const CASSETTE_MAX = 256 * MiB;

/** @throws PluglotError CONFIG_INVALID, naming the line */
export async function readCassette(file: string): Promise<Cassette> {
  const read = await readTextFile(file, CASSETTE_MAX);
  if (read.kind === 'absent') throw wrong(file, 'there is no such file');
  if (read.kind === 'unreadable') throw wrong(file, `it ${read.reason}`);
  return parseCassette(read.text, file);
}

/** @throws PluglotError CONFIG_INVALID, naming the line */
export function parseCassette(text: string, file: string): Cassette {
  let header: CassetteHeader | undefined;
  const entries: CassetteEntry[] = [];
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const value = jsonOf(line);
    // A recording that was cut off in the middle of its last line is good up to there.
    if (value === undefined && header !== undefined && index === lines.length - 1) break;
    const found = value === undefined ? 'no JSON' : header === undefined ? headerOf(value) : entryOf(value);
    if (typeof found === 'string') throw wrong(file, `line ${index + 1}: ${found}`);
    if ('cassette' in found) header = found;
    else entries.push(found);
  }
  if (header === undefined) throw wrong(file, 'it is empty');
  return { header, entries };
}

function jsonOf(line: string): Json | undefined {
  try {
    const plain = plainJson(JSON.parse(line), 'it');
    // Nested so deep that nobody meant it.
    return 'json' in plain ? plain.json : undefined;
  } catch {
    return undefined;
  }
}

function headerOf(value: Json): CassetteHeader | string {
  if (!isJsonObject(value) || value['cassette'] === undefined)
    return 'the first line has to say what this is: {"cassette":1,"plugin":…,"dialect":…,"recordedAt":…}';
  const { cassette, plugin, dialect, recordedAt, command } = value;
  if (cassette !== CASSETTE_VERSION)
    return `version ${JSON.stringify(cassette)} of cassettes is not known; expected ${CASSETTE_VERSION}`;
  if (typeof plugin !== 'string' || plugin === '') return '"plugin" is no name';
  if (!isDialect(dialect)) return `"dialect" is none of ${dialectNames.join(', ')}`;
  return {
    cassette,
    plugin,
    dialect,
    recordedAt: typeof recordedAt === 'string' ? recordedAt : '',
    ...(typeof command === 'string' && { command }),
  };
}

function entryOf(value: Json): CassetteEntry | string {
  if (!isJsonObject(value)) return 'no object';
  const { at, from, message, event } = value;
  if (typeof at !== 'number') return '"at" is no number';
  if (event === 'started') return { at, event };
  if (from !== 'host' && from !== 'plugin') return '"from" is neither "host" nor "plugin"';
  if (message === undefined) return '"message" is missing';
  return { at, from, message };
}

function isDialect(value: Json | undefined): value is DialectName {
  return dialectNames.some((name) => name === value);
}

function wrong(file: string, reason: string): PluglotError {
  return new PluglotError('CONFIG_INVALID', `"${file}" is no cassette: ${sentence(reason)}`);
}
