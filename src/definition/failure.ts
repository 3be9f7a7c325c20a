// How author code fails a call, and how anything that was thrown becomes a failure.
import { PluglotError, toError, type ErrorCode } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { textOf } from '../base/text.ts';
import type { AnswerContent, CallFailure } from './outcome.ts';

/** A failure as authors write it; each dialect has its own form for it. */
export interface FailureOptions extends Omit<CallFailure, 'code' | 'wireCode' | 'stderr'> {
  /** @default 'TOOL_FAILED' */
  readonly code?: ErrorCode;
  /** What was found before it failed. */
  readonly partial?: AnswerContent;
}

/**
 * Ends a call as failed.
 * @throws always
 */
export function fail(failure: string | FailureOptions): never {
  throw new Failure(typeof failure === 'string' ? { message: failure } : failure);
}

/** The same in every copy of this module: a plugin may bring its own, and run in the process of a host that has another. */
const brand: unique symbol = Symbol.for('pluglot.failure');

/** What `fail` throws. Create one to throw it later. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly [brand] = true;
  readonly failure: CallFailure;
  readonly partial: AnswerContent;

  constructor({ partial = {}, code = 'TOOL_FAILED', ...failure }: FailureOptions) {
    super(failure.message);
    this.failure = { code, ...failure };
    this.partial = partial;
  }
}

export function isFailure(thrown: unknown): thrown is Failure {
  return thrown instanceof Error && brand in thrown;
}

/** A failure as callers see it. Of any other error they see only the message, and the stack in debug mode. */
export function failureOf(thrown: unknown, { debug = false } = {}): CallFailure {
  if (isFailure(thrown)) return thrown.failure;
  if (thrown instanceof PluglotError) {
    // The failure of an author at setup has more fields than the error that carries it.
    if (isFailure(thrown.cause)) return { ...thrown.cause.failure, message: thrown.message };
    const { code, message, stderr } = thrown;
    return stderr === undefined ? { code, message } : { code, message, stderr };
  }
  const { message, name, stack } = readable(thrown);
  return {
    code: 'INTERNAL',
    message: message === '' ? `${name} without a message` : message,
    ...(debug && stack !== undefined ? { details: { stack } } : {}),
  };
}

/** Anything can be thrown, even an object that throws when it is read. */
function readable(thrown: unknown): { message: string; name: string; stack?: string | undefined } {
  try {
    const { message, name, stack } = toError(thrown);
    return { message: textOf(message), name: textOf(name), stack };
  } catch {
    return { message: `something was thrown that cannot be shown (${typeof thrown})`, name: 'Error' };
  }
}

/** Like `fail`, each of them throws. */
export const failures = {
  /** Something has to be configured or set up before this can be asked for. */
  notInitialized(options: CommonOptions = {}): never {
    fail({
      code: 'NOT_INITIALIZED',
      reason: 'NotInitialized',
      recoverable: true,
      ...options,
      message: options.message ?? 'The plugin is not set up yet.',
    });
  },

  /** A file or a format that this plugin does not take. */
  unsupported({ given, supported, ...options }: CommonOptions & UnsupportedFormat): never {
    fail({
      code: 'UNSUPPORTED',
      reason: 'UnsupportedFormat',
      recoverable: false,
      ...options,
      message:
        options.message ??
        `Unsupported format${given === undefined ? '' : `: ${given}`}. Supported: ${supported.join(', ')}`,
      data: { supported_formats: [...supported], ...options.data },
    });
  },

  /** It took too long; what was found until then is kept. */
  timeout({ timeoutMs, partial, ...options }: CommonOptions & TimedOut): never {
    const seconds = timeoutMs === undefined ? {} : { timeout_sec: timeoutMs / 1000 };
    fail({
      code: 'TIMEOUT',
      reason: 'Timeout',
      recoverable: true,
      ...options,
      message:
        options.message ?? `Timed out${timeoutMs === undefined ? '' : ` after ${timeoutMs / 1000} s`}.`,
      data: { ...seconds, partial_extraction: partial !== undefined, ...options.data },
      ...(partial === undefined ? {} : { partial }),
    });
  },

  /** A program or service that is needed is not there. */
  dependencyMissing({ dependency, envVar, configKey, ...options }: CommonOptions & MissingDependency): never {
    const ways = [
      ...(envVar === undefined ? [] : [`set ${envVar} in its environment`]),
      ...(configKey === undefined ? [] : [`give "${configKey}" in its configuration`]),
    ];
    const wayOut = ways.length === 0 ? `Install ${dependency}.` : `Install it, or ${ways.join(', or ')}.`;
    fail({
      code: 'REQUIREMENT_MISSING',
      reason: 'DependencyMissing',
      recoverable: false,
      ...options,
      message: options.message ?? `${dependency} was not found. ${wayOut}`,
      data: {
        dependency,
        ...(envVar === undefined ? {} : { env_var: envVar }),
        ...(configKey === undefined ? {} : { config_key: configKey }),
        ...options.data,
      },
    });
  },
} as const;

type CommonOptions = Partial<Pick<FailureOptions, 'message' | 'details' | 'recoverable' | 'suggestions'>> & {
  /** Further fields for the caller. */
  readonly data?: Readonly<Record<string, Json>>;
};

interface UnsupportedFormat {
  /** What was asked for. */
  readonly given?: string;
  readonly supported: readonly string[];
}

interface TimedOut {
  readonly timeoutMs?: number;
  readonly partial?: AnswerContent;
}

interface MissingDependency {
  readonly dependency: string;
  /** The environment variable with its path. */
  readonly envVar?: string;
  /** The key of the plugin's configuration with its path. */
  readonly configKey?: string;
}
