// A cassette: a recorded conversation with a plugin, one JSON object per line after a header line. schemas/cassette.schema.json is
// the same for others.
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { sentence } from '../../base/text.ts';
import { MiB } from '../../base/units.ts';
import type { Message, Received } from '../../channel/message/message.ts';
import { type DialectName, dialectNames } from '../../definition/plugin-spec.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import { maskedJson, maskedText } from '../../secrets/masked-text.ts';
import { MASK } from '../../secrets/secret-shapes.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { readTextFile } from '../trust/files.ts';

export const CASSETTE_VERSION = 1;

export interface Cassette {
  readonly header: CassetteHeader;
  readonly entries: readonly CassetteEntry[];
}

export interface CassetteHeader {
  readonly cassette: typeof CASSETTE_VERSION;
  readonly plugin: string;
  readonly dialect: DialectName;
  /** ISO 8601. */
  readonly recordedAt: string;
  /** How the plugin was started, for people; secrets are masked. */
  readonly command?: string;
}

export type CassetteEntry = CassetteMessage | CassetteStart;

export interface CassetteMessage {
  /** Milliseconds since the recording began. */
  readonly at: number;
  readonly from: 'host' | 'plugin';
  /** As on the wire, with secrets masked. Output that was not a message is a string. */
  readonly message: Json;
}

/** A process of the plugin was started: a new conversation follows. */
interface CassetteStart {
  readonly at: number;
  readonly event: 'started';
}

export function isMessage(entry: CassetteEntry): entry is CassetteMessage {
  return 'message' in entry;
}

// Reads a cassette. Files may come from others: every line is checked, and errors name the line.

const CASSETTE_MAX = 256 * MiB;

/** @throws PluglotError CONFIG_INVALID, naming the line */
export async function readCassette(file: string): Promise<Cassette> {
  const read = await readTextFile(file, CASSETTE_MAX);
  if (read.kind === 'absent') throw wrong(file, 'the file does not exist');
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
    // A recording that was cut off in its last line is valid up to there.
    if (value === undefined && header !== undefined && index === lines.length - 1) break;
    const found =
      value === undefined ? 'invalid JSON' : header === undefined ? headerOf(value) : entryOf(value);
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
    // Nested too deeply.
    return 'json' in plain ? plain.json : undefined;
  } catch {
    return undefined;
  }
}

function headerOf(value: Json): CassetteHeader | string {
  if (!isJsonObject(value) || value['cassette'] === undefined)
    return 'the first line has to be the header: {"cassette":1,"plugin":…,"dialect":…,"recordedAt":…}';
  const { cassette, plugin, dialect, recordedAt, command } = value;
  if (cassette !== CASSETTE_VERSION)
    return `version ${JSON.stringify(cassette)} of cassettes is not known; expected ${CASSETTE_VERSION}`;
  if (typeof plugin !== 'string' || plugin === '') return '"plugin" is not a name';
  if (!isDialect(dialect)) return `"dialect" is not one of ${dialectNames.join(', ')}`;
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
  if (typeof at !== 'number') return '"at" is not a number';
  if (event === 'started') return { at, event };
  if (from !== 'host' && from !== 'plugin') return '"from" is neither "host" nor "plugin"';
  if (message === undefined) return '"message" is missing';
  return { at, from, message };
}

function isDialect(value: Json | undefined): value is DialectName {
  return dialectNames.some((name) => name === value);
}

function wrong(file: string, reason: string): PluglotError {
  return new PluglotError('CONFIG_INVALID', `"${file}" is not a cassette: ${sentence(reason)}`);
}

// Messages in their wire form.

/** To be written as JSON; output that was not a message is a string. */
export function onWire(message: Message | Received): unknown {
  switch (message.kind) {
    case 'invalid':
      return message.text;
    case 'batch':
      return message.items.map(onWire);
    default: {
      const { kind: _, ...rest } = message;
      return { jsonrpc: '2.0', ...rest };
    }
  }
}

/** The same as a JSON value: undefined fields are left out. */
export function wireForm(message: Message | Received): Json {
  // It was read from JSON or is about to be written as JSON.
  return JSON.parse(JSON.stringify(onWire(message))) as Json;
}

// Messages without secrets.

export type Mask = (message: Json) => Json;

/** Masks what looks like a secret. All masked values look the same. */
export function masked(message: Json): Json {
  return maskedJson(message, { text: maskedText });
}

/**
 * For a whole conversation: values under names of secrets become `***1`, `***2` …, equal values the same, so that a replay can still
 * match them.
 */
export function maskerOf(secrets: Pick<Secrets, 'mask'> = { mask: maskedText }): Mask {
  const numbers = new Map<string, number>();
  const stand = (value: string) => {
    // A masked value is not a secret.
    if (STAND_IN.test(value)) return value;
    const number = numbers.get(value) ?? numbers.size + 1;
    if (numbers.size < NUMBERS_MAX) numbers.set(value, number);
    return `${MASK}${number}`;
  };
  return (message) => maskedJson(message, { text: (text) => secrets.mask(text), stand });
}

/** Whether the original value is unknown. */
export function isMasked(value: Json): boolean {
  return typeof value === 'string' && STAND_IN.test(value);
}

const STAND_IN = /^\*\*\*\d{0,9}$/;
const NUMBERS_MAX = 100_000;
