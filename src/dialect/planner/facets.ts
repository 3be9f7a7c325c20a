// What a planner and an executor can be asked in the neutral words of plans.
import type { CallSink } from '../../definition/outcome.ts';
import type { CodeRequest, TaskRequest } from '../../definition/plan.ts';
import type { ExecutorFacet, ExecutorQuestion, HostEnd, WireCall } from '../host-dialect.ts';
import type { Calls, Question } from './calls.ts';
import type { Discovery } from './discovery.ts';
import { codeRequest, contextUpdate, methods, planRequest, taskRequest } from './schema.ts';
import { toWire, type AnyShape } from './shape.ts';

export function facetsOf(
  plugin: string,
  { roles, batch }: Discovery,
  calls: Calls,
): Pick<HostEnd, 'planner' | 'executor' | 'updateContext'> {
  const question = (method: string, shape: AnyShape, request: object, sink: CallSink): Question => ({
    plugin,
    method,
    form: 'neutral',
    params: toWire(shape, request),
    sink,
  });
  const task = (request: TaskRequest, sink: CallSink) =>
    question(methods.executeTask, taskRequest, request, sink);
  const code = (request: CodeRequest, sink: CallSink) =>
    question(methods.validateCode, codeRequest, request, sink);
  const executor: ExecutorFacet = {
    executeTask: (request, sink) => calls.start(task(request, sink)),
    validateCode: (request, sink) => calls.start(code(request, sink)),
    ...(batch
      ? {
          batch: (questions: readonly ExecutorQuestion[]): readonly WireCall[] =>
            calls.startAll(
              questions.map((one) =>
                one.kind === 'task' ? task(one.request, one.sink) : code(one.request, one.sink),
              ),
            ),
        }
      : {}),
  };
  return {
    ...(roles.includes('planner')
      ? {
          planner: {
            createPlan: (request, sink) =>
              calls.start(question(methods.createPlan, planRequest, request, sink)),
          },
        }
      : {}),
    ...(roles.includes('executor') ? { executor } : {}),
    updateContext: (update, sink) =>
      calls.start(question(methods.updateContext, contextUpdate, update, sink)),
  };
}
