// The words of gevals on the wire: what is sent, and readers that make typed values of what comes.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown, textOf } from '../../base/shown.ts';
import type { JsonSchema, LogEntry, LogLevel } from '../../definition/tool.ts';
import { problemOfSchema } from '../../definition/schema/problem-of-schema.ts';
import { readOurWords } from '../our-words.ts';

/** Extensions refuse every other. */
export const PROTOCOL_VERSION = '0.0.1';

export type InitializeParams = {
  readonly protocolVersion: typeof PROTOCOL_VERSION;
  readonly config?: JsonObject;
};

export type ExecuteParams = {
  readonly operation: string;
  readonly args: JsonObject;
  readonly context: ExecuteContext;
};

type ExecuteContext = {
  readonly workdir: string;
  readonly phase: 'setup' | 'verify' | 'cleanup';
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** A Go duration. */
  readonly timeout?: string | undefined;
  /** In the verify phase only. */
  readonly agent?: AgentContext | undefined;
};

export type AgentContext = { readonly prompt?: string; readonly output?: string };

export type ExtensionManifest = {
  readonly name?: string;
  readonly version?: string;
  readonly protocolVersion?: string;
  readonly description?: string;
  readonly requires: readonly { readonly command: string }[];
  readonly operations: readonly Operation[];
  /** Nothing in it says that it is the manifest of an extension. */
  readonly isBare: boolean;
};

type Operation = {
  readonly name: string;
  readonly description?: string;
  readonly params?: JsonSchema;
  /** What an extension of ours says of it beyond that. */
  readonly ours: JsonObject;
};

export type OperationResult = {
  /** Undefined when it was not said. */
  readonly success: boolean | undefined;
  readonly message?: string;
  readonly error?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  /** What an extension of ours says beyond that. */
  readonly ours: JsonObject;
};

/** Why something cannot be used. */
export type Problem = { readonly problem: string };

/** Hears of what is wrong and was survived. */
export type Tell = (reason: string, got: unknown) => void;

/**
 * Wrong types are refused, by the name of the field. `null` is what Go writes for what is not there. The specification requires name,
 * version and operations; real hosts take a manifest without them.
 */
export function readManifest(value: unknown, tell: Tell): ExtensionManifest | Problem {
  if (!isJsonObject(value)) return expected('the manifest', value, 'an object');
  const { name, version, protocolVersion, description, requires, operations } = value;
  const isExtension = isJsonObject(operations) || protocolVersion === PROTOCOL_VERSION;
  const isServer = isJsonObject(value['serverInfo']) || isJsonObject(value['capabilities']);
  if (isServer && !isJsonObject(operations)) return { problem: 'it is that of an MCP server' };
  for (const [field, text] of Object.entries({ name, version, description }))
    if (!isOptionalText(text)) return expected(`"${field}"`, text, 'a string');
  for (const [field, given] of Object.entries({ name, version, operations }))
    if (isAbsent(given)) tell(`"${field}" of a manifest is missing`, value);
  // Real hosts do not look at it.
  if (typeof protocolVersion !== 'string')
    tell('"protocolVersion" of a manifest is no string', protocolVersion);
  const needed = readRequirements(requires, tell);
  if ('problem' in needed) return needed;
  const known = readOperations(operations);
  if ('problem' in known) return known;
  return {
    requires: needed,
    operations: known,
    isBare: !isExtension,
    ...(typeof name === 'string' && !isAbsent(name) ? { name } : {}),
    ...(typeof version === 'string' && !isAbsent(version) ? { version } : {}),
    ...(typeof protocolVersion === 'string' ? { protocolVersion } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  };
}

/** Only `true` is success. What should be text and is not becomes its JSON. */
export function readResult(value: unknown, tell: Tell): OperationResult | Problem {
  if (!isJsonObject(value)) return expected('the result', value, '{ success, message?, error?, outputs? }');
  const { success, message, error, outputs } = value;
  if (success !== undefined && typeof success !== 'boolean')
    tell('"success" of a result is no boolean', success);
  const text = readText(message, '"message" of a result', tell);
  const reason = readText(error, '"error" of a result', tell);
  const strings = readOutputs(outputs, tell);
  return {
    success: success === undefined ? undefined : success === true,
    ours: readOurWords(value),
    ...(text === undefined ? {} : { message: text }),
    ...(reason === undefined ? {} : { error: reason }),
    ...(strings === undefined ? {} : { outputs: strings }),
  };
}

export function readLog(value: unknown, tell: Tell): LogEntry | undefined {
  if (!isJsonObject(value)) {
    tell('the params of a log are no object', value);
    return undefined;
  }
  const { level, message, data } = value;
  const text = readText(message, '"message" of a log', tell) ?? '';
  return { level: readLevel(level), message: text, ...(data === undefined ? {} : { data }) };
}

function readLevel(level: Json | undefined): LogLevel {
  return level === 'debug' || level === 'warn' || level === 'error' ? level : 'info';
}

function readRequirements(
  value: Json | undefined,
  tell: Tell,
): readonly { readonly command: string }[] | Problem {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) return expected('"requires"', value, 'an array');
  const requirements: { readonly command: string }[] = [];
  for (const [index, item] of value.entries()) {
    const where = `"requires[${index}]"`;
    if (!isJsonObject(item)) return expected(where, item, 'an object');
    const { command } = item;
    if (command === undefined) tell(`${where} of a manifest has no "command"`, item);
    else if (typeof command !== 'string' || command === '') {
      return expected(`"requires[${index}].command"`, command, 'the name of a program');
    } else requirements.push({ command });
  }
  return requirements;
}

function readOperations(value: Json | undefined): readonly Operation[] | Problem {
  if (isAbsent(value)) return [];
  if (!isJsonObject(value)) return expected('"operations"', value, 'an object');
  const operations: Operation[] = [];
  for (const [name, given] of Object.entries(value)) {
    const where = `operations.${name.slice(0, 100)}`;
    const operation = isAbsent(given) ? {} : given;
    if (!isJsonObject(operation)) return expected(`"${where}"`, operation, 'an object');
    const { description, params } = operation;
    if (!isOptionalText(description)) return expected(`"${where}.description"`, description, 'a string');
    const problem =
      params === undefined || params === null ? undefined : problemOfSchema(params, `${where}.params`);
    if (problem !== undefined) return { problem };
    operations.push({
      name,
      ours: readOurWords(operation),
      ...(typeof description === 'string' ? { description } : {}),
      ...(typeof params === 'boolean' || isJsonObject(params) ? { params } : {}),
    });
  }
  return operations;
}

function readText(value: Json | undefined, field: string, tell: Tell): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') tell(`${field} is no string`, value);
  return textOf(value);
}

function readOutputs(value: Json | undefined, tell: Tell): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) {
    tell('"outputs" of a result are no object', value);
    return undefined;
  }
  // fromEntries defines what it is given, also under names such as __proto__.
  return Object.fromEntries(
    Object.entries(value).map(([name, output]) => {
      if (typeof output !== 'string') tell(`output ${shown(name)} of a result is no string`, output);
      return [name, textOf(output)];
    }),
  );
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '';
}

function isOptionalText(value: Json | undefined): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function expected(what: string, got: unknown, form: string): Problem {
  const is = got === undefined ? 'missing' : shown(got);
  return { problem: `${what} is ${is}; expected ${form}` };
}
