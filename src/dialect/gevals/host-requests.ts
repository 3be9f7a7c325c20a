// What a host asks of an extension, read once at the door. Real hosts leave out, or send empty, much of what the specification requires.
import { parseDuration } from '../../base/duration.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import type { CallerContext } from '../../definition/outcome.ts';
import { PROTOCOL_VERSION, type Problem } from './schema.ts';

export type Initialize = { readonly config?: JsonObject };

export type Execute = {
  readonly operation: string;
  readonly args: JsonObject;
  readonly context: CallerContext;
  /** Undefined when the host did not say. */
  readonly timeoutMs?: number;
};

export function readInitialize(params: unknown): Initialize | Problem {
  if (!isJsonObject(params)) return expected('params', params, 'an object with "protocolVersion"');
  const { protocolVersion, config } = params;
  if (protocolVersion !== PROTOCOL_VERSION)
    return expected('protocolVersion', protocolVersion, `"${PROTOCOL_VERSION}"`);
  if (isAbsent(config)) return {};
  return isJsonObject(config) ? { config } : expected('config', config, 'an object');
}

export function readExecute(params: unknown): Execute | Problem {
  if (!isJsonObject(params)) return expected('params', params, 'an object with "operation"');
  const { operation, args, context } = params;
  if (typeof operation !== 'string' || operation === '')
    return expected('operation', operation, 'the name of an operation');
  if (!isAbsent(args) && !isJsonObject(args)) return expected('args', args, 'an object');
  if (!isAbsent(context) && !isJsonObject(context)) return expected('context', context, 'an object');
  const around = readContext(context ?? {});
  if ('problem' in around) return around;
  return { operation, args: args ?? {}, ...around };
}

function readContext(context: JsonObject): Pick<Execute, 'context' | 'timeoutMs'> | Problem {
  const { workdir, phase, env, timeout, agent } = context;
  for (const [name, value] of Object.entries({ workdir, phase, timeout }))
    if (!isAbsent(value) && typeof value !== 'string') return expected(`context.${name}`, value, 'a string');
  if (!isAbsent(env) && !isTexts(env)) return expected('context.env', env, 'an object of strings');
  if (!isAbsent(agent) && !isTexts(agent))
    return expected('context.agent', agent, '{ prompt, output }, both strings');
  const limit = readTimeout(timeout);
  if ('problem' in limit) return limit;
  const { prompt, output } = agent ?? {};
  const knownPhase = readPhase(phase) ?? (isAbsent(agent) ? undefined : 'verify');
  return {
    ...limit,
    context: {
      ...(typeof workdir === 'string' && workdir !== '' ? { workdir } : {}),
      ...(knownPhase === undefined ? {} : { phase: knownPhase }),
      ...(isAbsent(env) ? {} : { env }),
      ...(isAbsent(agent)
        ? {}
        : {
            agent: {
              ...(prompt === undefined ? {} : { prompt }),
              ...(output === undefined ? {} : { output }),
            },
          }),
    },
  };
}

/** Go's zero is no limit. */
function readTimeout(timeout: unknown): Pick<Execute, 'timeoutMs'> | Problem {
  if (typeof timeout !== 'string' || timeout === '') return {};
  const duration = parseDuration(timeout);
  if ('problem' in duration) return { problem: `"context.timeout": ${duration.problem}` };
  return duration.ms === 0 ? {} : { timeoutMs: duration.ms };
}

/** Real hosts send "" in every phase; verify is told by the agent that comes with it. */
function readPhase(phase: unknown): CallerContext['phase'] {
  return phase === 'setup' || phase === 'verify' || phase === 'cleanup' ? phase : undefined;
}

/** `null` is what Go writes for what is not there. */
function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string');
}

function expected(what: string, got: unknown, form: string): Problem {
  return { problem: `"${what}" is ${got === undefined ? 'missing' : shown(got)}; expected ${form}` };
}
