// What planners hand up their pipe, as calls of whoever does it in this host.
import { toError } from '../../base/error.ts';
import type { RunningCall } from '../../definition/backend.ts';
import type { CallSink } from '../../definition/outcome.ts';
import type { CodeRequest, TaskRequest } from '../../definition/plan.ts';
import type { HostServices } from '../../dialect/host-dialect.ts';
import { refusedCall } from '../../dialect/refused-call.ts';
import type { Call } from './call.ts';
import { failureOf } from './open-call.ts';
import { tellCall } from './tell-call.ts';

/** The work that planners may ask of their host. What is absent is refused: the planner hears that there is no such method. */
export interface HostWork {
  /** The `data` of its outcome is a TaskResult, as JSON; what it streams is streamed to the planner. */
  readonly executeTask?: (request: TaskRequest, from: WorkOrigin) => Call;
  /** The `data` of its outcome is a CodeVerdict, as JSON. */
  readonly validateCode?: (request: CodeRequest, from: WorkOrigin) => Call;
}

export interface WorkOrigin {
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

/** Whoever does it may not be there: that is the planner's to hear, and no matter of its wire. */
function begin(start: () => Call, sink: CallSink): RunningCall {
  try {
    return tellCall(start(), sink);
  } catch (thrown) {
    return refusedCall(failureOf(toError(thrown)), sink);
  }
}
