// What every plugin of a fleet is given.
import type { Clock } from '../../base/clock.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { TakeTurn } from '../../base/async.ts';
import type { DialectName, PluginSpec } from '../../definition/plugin-spec.ts';
import type { Access } from '../../dialect/access.ts';
import type { HostDialect, HostServices } from '../../dialect/host-dialect.ts';
import type { ManifestCache } from '../manifest-cache/manifest-cache.ts';
import type { Launcher } from '../supervisor/launcher.ts';
import type { SchemaChecks } from './validation/schema-checks.ts';
import { toError } from '../../base/error.ts';
import type { RunningCall } from '../../definition/plugin-port.ts';
import type { CallSink } from '../../definition/outcome.ts';
import type { CodeRequest, TaskRequest } from '../../definition/plan.ts';
import { refusedCall } from '../../dialect/failure.ts';
import { type Call, pipeCall } from '../../definition/call.ts';
import { failureOf } from '../../definition/failure.ts';

export interface FleetEnvironment {
  readonly launcher: Launcher;
  readonly clock: Clock;
  /** For the start of a process. */
  readonly takeTurn: TakeTurn;
  /** From 0 to 1. */
  random(): number;
  readonly dialects: Dialects;
  /** Finds out which dialect a plugin speaks whose spec does not say it. */
  readonly detect?: Detect;
  /** The manifests of earlier runs. */
  readonly manifestCache?: ManifestCache;
  readonly checks: SchemaChecks;
  /** What is kept or shown of plugins is masked by it. */
  readonly secrets: Secrets;
  readonly logFolder?: string;
  /** For servers that want to know who asks. */
  readonly access?: Access;
  /** Plugins may put questions to the caller. */
  readonly relaysQuestions?: boolean;
  /** What planners may ask of this host. */
  readonly work?: HostWork;
  readonly idPrefix: string;
  nextCallNumber(): number;
}

export type Dialects = Readonly<Partial<Record<DialectName, () => Promise<HostDialect>>>>;

/**
 * What the program prints meanwhile may be given to `onStderr`, which writes it to the log of the plugin.
 * @throws PluglotError DIALECT_UNKNOWN
 */
export type Detect = (
  spec: PluginSpec,
  signal: AbortSignal,
  onStderr: (chunk: Buffer) => void,
) => Promise<DialectName>;

/** The work that planners may ask of their host. What is absent is refused as an unknown method. */
export interface HostWork {
  /** The `data` of its outcome is a TaskResult, as JSON; what it streams is streamed to the planner. */
  readonly executeTask?: (request: TaskRequest, from: WorkOrigin) => Call;
  /** The `data` of its outcome is a CodeVerdict, as JSON. */
  readonly validateCode?: (request: CodeRequest, from: WorkOrigin) => Call;
}

interface WorkOrigin {
  /** The name of the plugin that asks. */
  readonly plugin: string;
}

/** For the planner of this name. */
export function askedWork(
  plugin: string,
  { executeTask, validateCode }: HostWork,
): Pick<HostServices, 'executeTask' | 'validateCode'> {
  const from = { plugin };
  return {
    ...(executeTask && { executeTask: (request, sink) => begin(() => executeTask(request, from), sink) }),
    ...(validateCode && { validateCode: (request, sink) => begin(() => validateCode(request, from), sink) }),
  };
}

/** A failure to begin is the answer to the planner, not an error of its connection. */
function begin(start: () => Call, sink: CallSink): RunningCall {
  try {
    return pipeCall(start(), sink);
  } catch (thrown) {
    return refusedCall(failureOf(toError(thrown)), sink);
  }
}
