// Failures that most plugins know, ready to be raised. The keys of their data are those that YAMS's specification names, and that our
// own host reads in every dialect: data goes over each wire as it is.
import type { Json } from '../base/json.ts';
import { fail, type FailureOptions } from './failure.ts';
import type { AnswerContent } from './outcome.ts';

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
  /** More fields for whoever reads them. */
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
  /** The variable that says where it is. */
  readonly envVar?: string;
  /** The key of the plugin's configuration that says where it is. */
  readonly configKey?: string;
}
