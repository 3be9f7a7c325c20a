// The planner and the executor of a definition.
import { PluglotError } from '../../base/error.ts';
import { isJsonArray, isJsonObject, type Json } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import type { Backend, TaskHost } from '../backend.ts';
import type { ExecutorDefinition, HandlerContext, PlannerDefinition } from '../definition.ts';
import { Failure } from '../failure.ts';
import type { AnswerContent } from '../outcome.ts';
import { contentOf } from './content-of.ts';
import type { RunJob } from './job.ts';

export function plannerOf(
  plugin: string,
  { createPlan }: PlannerDefinition,
  run: RunJob,
): NonNullable<Backend['planner']> {
  const what = `The planner of plugin "${plugin}"`;
  return {
    createPlan: (request, around, sink) => {
      const { host = nobody(plugin) } = around;
      const start = (context: HandlerContext) => createPlan(request, Object.assign(context, { host }));
      return run({ what, around, start, read: (returned) => planOf(returned, what) }, sink);
    },
  };
}

export function executorOf(
  plugin: string,
  { executeTask, validateCode }: ExecutorDefinition,
  run: RunJob,
): NonNullable<Backend['executor']> {
  const what = `The executor of plugin "${plugin}"`;
  return {
    executeTask: (request, around, sink) =>
      run(
        {
          what,
          around,
          start: (context) => executeTask(request, context),
          read: (returned) => taskResultOf(returned, what),
        },
        sink,
      ),
    ...(validateCode === undefined
      ? {}
      : {
          validateCode: (request, around, sink) =>
            run(
              {
                what,
                around,
                start: (context) => validateCode(request, context),
                read: (returned) => verdictOf(returned, what),
              },
              sink,
            ),
        }),
  };
}

function nobody(plugin: string): TaskHost {
  const refuse = () =>
    Promise.reject(
      new PluglotError('UNAVAILABLE', `The host of plugin "${plugin}" does no tasks for planners.`),
    );
  return { executeTask: refuse, validateCode: refuse };
}

function planOf(returned: unknown, what: string): AnswerContent {
  const content = contentOf(returned, what);
  const tasks = isJsonObject(content.data) ? content.data['tasks'] : undefined;
  if (isJsonArray(tasks) && tasks.every(isTask)) return content;
  throw unexpected(what, content, 'a plan: { tasks: [{ id, type, description, dependencies? }] }');
}

function isTask(task: Json): boolean {
  return isJsonObject(task) && ['id', 'type', 'description'].every((key) => typeof task[key] === 'string');
}

/** A text alone is the explanation. */
function taskResultOf(returned: unknown, what: string): AnswerContent {
  if (typeof returned === 'string') return { data: { explanation: returned } };
  const content = contentOf(returned, what);
  if (content.data === undefined) return { ...content, data: {} };
  if (isJsonObject(content.data)) return content;
  throw unexpected(what, content, 'a task result: { code?, explanation?, filesModified?, filesCreated? }');
}

function verdictOf(returned: unknown, what: string): AnswerContent {
  const content = contentOf(returned, what);
  const { data } = content;
  if (isJsonObject(data) && typeof data['valid'] === 'boolean' && isJsonArray(data['findings']))
    return content;
  throw unexpected(what, content, 'a verdict: { valid, findings }');
}

function unexpected(what: string, { data, text }: AnswerContent, expected: string): Failure {
  return new Failure({
    code: 'INTERNAL',
    message: `${what} answered with ${shown(data ?? text)}; expected ${expected}.`,
  });
}
