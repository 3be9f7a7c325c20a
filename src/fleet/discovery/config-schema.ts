// Validates a configuration against its published schema and turns the errors of ajv into problems with a line and a fix.
import { readFile } from 'node:fs/promises';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { parseDuration } from '../../base/units.ts';
import { isJsonObject } from '../../base/json.ts';
import { shown } from '../../base/text.ts';
import { nearest } from '../../base/names.ts';
import { PLUGIN_NAME } from '../../definition/plugin-spec.ts';
import { type JsonNode, memberOf, nodeAt } from './json-reader.ts';
import { pluginName } from './candidate.ts';
import type { Problem } from './problem.ts';

export interface Complaint {
  /** The keys that lead to the error. */
  readonly path: readonly string[];
  readonly problem: Problem;
}

export async function complaintsAbout(
  file: string,
  root: JsonNode,
  schema: PublishedSchema = pluglotSchema,
): Promise<Complaint[]> {
  const validate = await validator(schema);
  if (validate(root.value)) return [];
  const complaints = (validate.errors ?? []).flatMap((error) => {
    const words = wordsFor(error, schema.page);
    if (!words) return [];
    const path = error.instancePath.split('/').slice(1).map(unescape);
    const owner = nodeAt(root, path);
    const member = words.key === undefined ? keyOf(root, path) : memberOf(owner, words.key);
    const isAboutKey = error.keyword === 'additionalProperties' || error.keyword === 'propertyNames';
    const { line } = (isAboutKey ? member : undefined) ?? owner;
    const complaintPath = words.key === undefined ? path : [...path, words.key];
    const plugin = complaintPath[0] === 'plugins' ? complaintPath[1] : undefined;
    const where = complaintPath.length > 0 ? `${shownPath(complaintPath)}: ` : '';
    const problem: Problem = {
      file,
      line,
      severity: 'error',
      reason: `${where}${words.reason}`,
      wayOut: words.wayOut,
      ...(plugin !== undefined && { plugin }),
    };
    return [{ path: complaintPath, problem }];
  });
  return complaints.sort((one, other) => (one.problem.line ?? 0) - (other.problem.line ?? 0));
}

export interface PublishedSchema {
  readonly url: URL;
  /** The document that shows every key. */
  readonly page: string;
}

const pluglotSchema: PublishedSchema = {
  // Beside src/ and beside dist/ alike.
  url: new URL('../../../schemas/pluglot.schema.json', import.meta.url),
  page: 'docs/configuration.md',
};

// A cache: compiling takes some milliseconds and is needed only where there is a configuration.
const compiled = new Map<string, Promise<ValidateFunction>>();

function validator({ url }: PublishedSchema): Promise<ValidateFunction> {
  const known = compiled.get(url.href) ?? compile(url);
  compiled.set(url.href, known);
  return known;
}

async function compile(url: URL): Promise<ValidateFunction> {
  const [{ Ajv }, schema] = await Promise.all([import('ajv'), readFile(url, 'utf8')]);
  // Our own file.
  return new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true }).compile(
    JSON.parse(schema) as object,
  );
}

interface Words {
  readonly reason: string;
  readonly wayOut: string;
  /** The key of the value in question, if it is not the value itself. */
  readonly key?: string;
}

function wordsFor(error: ErrorObject, page: string): Words | undefined {
  // The keyword determines the fields of params.
  const params = error.params as Readonly<Record<string, unknown>>;
  const schema = isJsonObject(error.parentSchema) ? error.parentSchema : {};
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params['additionalProperty']);
      const known = Object.keys(isJsonObject(schema['properties']) ? schema['properties'] : {});
      const [meant] = nearest(key, known);
      const wayOut = meant === undefined ? `Known are ${known.join(', ')}.` : `Did you mean "${meant}"?`;
      return { reason: 'unknown key', wayOut, key };
    }
    case 'type':
      return typeWords(String(params['type']), error.data, error.schemaPath.includes('milliseconds'));
    case 'enum': {
      const allowed = (Array.isArray(error.schema) ? error.schema : []).map(String);
      const [meant] = typeof error.data === 'string' ? nearest(error.data, allowed) : [];
      const reason = `expected one of ${allowed.join(', ')}, found ${kindOf(error.data)}${shownWord(error.data)}`;
      return { reason, wayOut: meant === undefined ? `Write "${allowed[0]}".` : `Did you mean "${meant}"?` };
    }
    case 'minimum':
      return {
        reason: `expected at least ${String(params['limit'])}, found ${String(error.data)}`,
        wayOut: 'Raise it.',
      };
    case 'maximum':
      return {
        reason: `expected at most ${String(params['limit'])}, found ${String(error.data)}`,
        wayOut: 'Lower it.',
      };
    case 'minLength':
      return {
        reason: 'expected some text, found an empty one',
        wayOut: 'Fill it in, or leave the key out.',
      };
    case 'propertyNames': {
      const key = String(params['propertyName']);
      const near = pluginName(key);
      const wayOut = `Expected ${PLUGIN_NAME}.${near === undefined ? '' : ` Call it "${near}", also in rules and settings that name it.`}`;
      return { reason: 'not a name for a plugin', wayOut, key };
    }
    case 'pattern':
      // The keyword propertyNames reports names.
      if (error.propertyName !== undefined) return undefined;
      return {
        reason: 'expected an address that begins with http:// or https://',
        wayOut: 'Write "https://…".',
      };
    case 'not':
      return {
        reason: 'both command and url; a plugin is either started or reached',
        wayOut: 'Leave one of them out.',
      };
    case 'dependencies': {
      const missing = String(params['missingProperty']);
      const key = String(params['property']);
      return {
        reason: `it needs "${missing}" as well`,
        wayOut: `Add "${missing}", or leave "${key}" out.`,
        key,
      };
    }
    default:
      return { reason: error.message ?? error.keyword, wayOut: `${page} shows every key.` };
  }
}

const typeNames: Readonly<Record<string, readonly [name: string, example: string]>> = {
  string: ['text', '"text"'],
  integer: ['a whole number', '5'],
  boolean: ['true or false', 'true'],
  array: ['a list', '["one", "two"]'],
  object: ['an object', '{ "key": "value" }'],
};

/** Without the value: it may be a secret. */
function typeWords(type: string, data: unknown, isDuration: boolean): Words {
  const [name, example] = typeNames[type] ?? [type, type];
  const reason = `expected ${isDuration ? 'whole milliseconds' : name}, found ${kindOf(data)}`;
  if (!isDuration) return { reason, wayOut: `Write it like ${example}.` };
  const milliseconds = typeof data === 'string' ? durationOf(data) : undefined;
  if (milliseconds === undefined) return { reason, wayOut: 'Write 5000 for five seconds.' };
  return { reason: `${reason}${shownWord(data)}`, wayOut: `Write ${milliseconds}.` };
}

/** A duration with a unit, or a number in quotes, in milliseconds. */
function durationOf(text: string): number | undefined {
  const duration = parseDuration(/^\d+$/.test(text) ? `${text}ms` : text.replace(' ', ''));
  return 'ms' in duration && Number.isSafeInteger(duration.ms) ? duration.ms : undefined;
}

function kindOf(data: unknown): string {
  if (data === null) return 'null';
  if (Array.isArray(data)) return 'a list';
  switch (typeof data) {
    case 'string':
      return 'text';
    case 'number':
      return Number.isInteger(data) ? 'a number' : 'a number with a fraction';
    case 'boolean':
      return 'true or false';
    default:
      return 'an object';
  }
}

function shownWord(data: unknown): string {
  return typeof data === 'string' ? ` ${shown(data, 40)}` : '';
}

function shownPath(path: readonly string[]): string {
  return path.map((key) => (key.length > 80 ? `${key.slice(0, 80)}…` : key)).join('.');
}

function keyOf(root: JsonNode, path: readonly string[]) {
  const last = path.at(-1);
  return last === undefined ? undefined : memberOf(nodeAt(root, path.slice(0, -1)), last);
}

/** As JSON pointers write keys. */
function unescape(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
