// A definition at work for tests, with host in which all is there and what is logged is kept.
import type { JsonObject } from '../../../src/base/json.ts';
import type { RunningCall, ServedPort } from '../../../src/definition/plugin-port.ts';
import type { Definition } from '../../../src/definition/definition.ts';
import type {
  Answer,
  CallEvent,
  CallInfo,
  CallSink,
  CallerContext,
} from '../../../src/definition/outcome.ts';
import { runDefinition } from '../../../src/definition/run/run-definition.ts';
import type { PluginHost } from '../../../src/definition/run/plugin-host.ts';
import type { LogEntry } from '../../../src/definition/tool.ts';
import { fakeClock, type FakeClock } from '../../../src/testing/fake-clock.ts';

export interface RunningDefinition {
  readonly backend: ServedPort;
  readonly clock: FakeClock;
  readonly logged: readonly LogEntry[];
  /** Calls a tool and waits for its end. */
  call(
    tool: string,
    args?: JsonObject,
    around?: Partial<CallInfo> & { context?: CallerContext },
  ): Promise<Ended>;
}

interface Ended {
  readonly answer: Answer;
  readonly events: readonly CallEvent[];
}

/** Something under way, and what came of it. */
export interface Started {
  readonly running: RunningCall;
  readonly ended: Promise<Ended>;
  readonly events: readonly CallEvent[];
}

/** In-process, without a limit. */
export const around: CallInfo = { dialect: 'in-process', timeoutMs: Infinity };

export function running(
  definition: Definition,
  host: Partial<Omit<PluginHost, 'clock' | 'log'>> = {},
): RunningDefinition {
  const clock = fakeClock();
  const logged: LogEntry[] = [];
  const backend = runDefinition(definition, {
    dataFolder: () => '/data',
    hasCommand: () => true,
    readFile: (path) => Promise.resolve(Buffer.from(`the file ${path}`)),
    ...host,
    clock,
    log: (entry) => void logged.push(entry),
  });
  return {
    backend,
    clock,
    logged,
    call: (tool, args = {}, given = {}) =>
      started((sink) => backend.call({ ...around, ...given, tool, args }, sink)).ended,
  };
}

export function started(start: (sink: CallSink) => RunningCall): Started {
  const events: CallEvent[] = [];
  let resolve: (ended: Ended) => void = () => {};
  const ended = new Promise<Ended>((onEnded) => {
    resolve = onEnded;
  });
  const sink: CallSink = {
    event: (event) => void events.push(event),
    end: (answer) => resolve({ answer, events }),
  };
  return { running: start(sink), ended, events };
}
