// The messages of gevals 0.0.1: what is sent, and readers that give typed values for what comes.
import { parseDuration } from '../../base/units.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { problemOfSchema } from '../../definition/schema/checked-schema.ts';
import type { CallerContext } from '../../definition/outcome.ts';
import type { JsonSchema, LogEntry } from '../../definition/tool.ts';
import { fromWire, shape } from '../shape.ts';

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

/** The field in which ends of pluglot tell each other what gevals has no field for; others ignore it. */
export const OWN_FIELD = 'pluglot';

/** Why a value cannot be used. */
export type Problem = { readonly problem: string };

/** Reports what is wrong and was survived. */
export type Report = (problem: string, got: unknown) => void;

export type ExtensionManifest = {
  readonly name?: string;
  readonly version?: string;
  readonly protocolVersion?: string;
  readonly description?: string;
  readonly requires: readonly { readonly command: string }[];
  readonly operations: readonly Operation[];
  /** Nothing in it shows that it is the manifest of an extension. */
  readonly isBare: boolean;
};

type Operation = {
  readonly name: string;
  readonly description?: string;
  readonly params?: JsonSchema;
  readonly own: JsonObject;
};

type WireRequirement = { readonly command?: string; readonly raw: JsonObject };

type ManifestFields = Pick<ExtensionManifest, 'name' | 'version' | 'description'> & {
  readonly protocolVersion?: Json;
  readonly requires: readonly WireRequirement[];
  readonly operations?: JsonObject;
};

const manifestShape = shape<ManifestFields>({
  name: 'name',
  version: 'name',
  description: 'text',
  protocolVersion: 'any',
  requires: {
    type: {
      listOf: shape<WireRequirement>({
        command: { type: { read: notEmpty, expected: 'the name of a program' } },
        raw: 'whole',
      }),
    },
    default: [],
  },
  operations: 'object',
});

const operationShape = shape<Omit<Operation, 'name' | 'params'> & { readonly params?: Json }>({
  description: 'text',
  params: 'any',
  own: { wire: OWN_FIELD, type: { read: objectOrNone, expected: 'an object' }, default: {} },
});

/** Wrong types are refused. The specification requires name, version and operations; real hosts take a manifest without them. */
export function readManifest(value: unknown, report: Report): ExtensionManifest | Problem {
  const read = fromWire(manifestShape, value, 'manifest', 'strict');
  if (isJsonObject(value) && isMcpServer(value)) return { problem: 'it is that of an MCP server' };
  if ('problem' in read) return read;
  const { name, version, description, protocolVersion, requires, operations } = read.value;
  for (const [field, given] of Object.entries({ name, version, operations }))
    if (given === undefined) report(`manifest.${field} is missing`, value);
  // Real hosts do not check it.
  if (typeof protocolVersion !== 'string')
    report('manifest.protocolVersion is not a string', protocolVersion);
  const known = readOperations(operations ?? {});
  if ('problem' in known) return known;
  return {
    requires: readRequirements(requires, report),
    operations: known,
    isBare: operations === undefined && protocolVersion !== PROTOCOL_VERSION,
    ...(name !== undefined && { name }),
    ...(version !== undefined && { version }),
    ...(typeof protocolVersion === 'string' && { protocolVersion }),
    ...(description !== undefined && { description }),
  };
}

function isMcpServer({ operations, serverInfo, capabilities }: JsonObject): boolean {
  return !isJsonObject(operations) && (isJsonObject(serverInfo) || isJsonObject(capabilities));
}

function readRequirements(
  given: readonly WireRequirement[],
  report: Report,
): readonly { readonly command: string }[] {
  return given.flatMap(({ command, raw }, index) => {
    if (command !== undefined) return [{ command }];
    report(`manifest.requires[${index}] has no "command"`, raw);
    return [];
  });
}

function readOperations(given: JsonObject): readonly Operation[] | Problem {
  const operations: Operation[] = [];
  for (const [name, value] of Object.entries(given)) {
    const where = `manifest.operations.${name.slice(0, 100)}`;
    const read = fromWire(operationShape, value === null || value === '' ? {} : value, where, 'strict');
    if ('problem' in read) return read;
    const { params, ...operation } = read.value;
    const problem =
      params === undefined ? undefined : problemOfSchema(params, `operations.${name.slice(0, 100)}.params`);
    if (problem !== undefined) return { problem };
    // It is a JSON Schema.
    operations.push({ name, ...operation, ...(params !== undefined && { params: params as JsonSchema }) });
  }
  return operations;
}

export type OperationResult = {
  /** Undefined when it is missing, or not a boolean. */
  readonly success?: boolean;
  readonly message?: string;
  readonly error?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly own: JsonObject;
};

const resultShape = shape<OperationResult>({
  success: 'flag',
  message: 'words',
  error: 'words',
  outputs: 'wordMap',
  own: { wire: OWN_FIELD, type: { read: objectOrNone, expected: 'an object' }, default: {} },
});

/** What should be text and is not becomes its JSON. */
export function readResult(value: unknown, report: Report): OperationResult | Problem {
  const read = fromWire(resultShape, value, 'result', report);
  return 'value' in read ? read.value : read;
}

const logShape = shape<LogEntry>({
  level: { type: { oneOf: ['debug', 'info', 'warn', 'error'] }, default: 'info' },
  message: { type: 'words', default: '' },
  data: 'any',
});

export function readLog(value: unknown, report: Report): LogEntry | undefined {
  // A level that is not known counts as info.
  const read = fromWire(logShape, value, 'log', (problem, got) => {
    if (!problem.startsWith('log.level')) report(problem, got);
  });
  if ('value' in read) return read.value;
  report(read.problem, value);
  return undefined;
}

const initializeShape = shape<InitializeParams>({
  protocolVersion: {
    type: {
      read: (version) => (version === PROTOCOL_VERSION ? version : undefined),
      expected: `"${PROTOCOL_VERSION}"`,
    },
    required: true,
  },
  config: 'object',
});

/** For author ends. */
export function readInitialize(params: unknown): InitializeParams | Problem {
  const read = fromWire(initializeShape, params, 'params', 'strict');
  return 'value' in read ? read.value : read;
}

/** An `execute` as the author end takes it. */
export type ExecuteRequest = {
  readonly operation: string;
  readonly args: JsonObject;
  readonly context: CallerContext;
  /** Undefined when the host named no limit. */
  readonly timeoutMs?: number;
};

type HostContext = {
  readonly workdir?: string;
  readonly phase?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeout?: string;
  readonly agent?: AgentContext;
};

const contextShape = shape<HostContext>({
  workdir: 'name',
  phase: 'text',
  env: 'textMap',
  timeout: 'name',
  agent: { type: { shape: shape<AgentContext>({ prompt: 'text', output: 'text' }) } },
});

const executeShape = shape<Pick<ExecuteRequest, 'operation' | 'args'> & { readonly context: HostContext }>({
  operation: { type: 'name', required: true },
  args: { type: 'object', default: {} },
  context: { type: { shape: contextShape }, default: {} },
});

/** Real hosts leave out, or send empty, much of what the specification requires. */
export function readExecute(params: unknown): ExecuteRequest | Problem {
  const read = fromWire(executeShape, params, 'params', 'strict');
  if ('problem' in read) return read;
  const { operation, args, context: given } = read.value;
  const { phase, timeout, ...context } = given;
  const limit = readTimeout(timeout);
  if ('problem' in limit) return limit;
  // Real hosts send "" in every phase; an agent comes with verify alone.
  const known = phases.find((name) => name === phase) ?? (given.agent && 'verify');
  return { operation, args, ...limit, context: { ...context, ...(known !== undefined && { phase: known }) } };
}

const phases = ['setup', 'verify', 'cleanup'] as const;

/** Zero is no limit in Go. */
function readTimeout(timeout: string | undefined): Pick<ExecuteRequest, 'timeoutMs'> | Problem {
  if (timeout === undefined) return {};
  const duration = parseDuration(timeout);
  if ('problem' in duration) return { problem: `params.context.timeout: ${duration.problem}` };
  return duration.ms === 0 ? {} : { timeoutMs: duration.ms };
}

function notEmpty(value: Json): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function objectOrNone(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}
