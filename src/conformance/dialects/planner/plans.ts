// How a planner answers create_plan.
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { doesNotApply, verdict, type Check, type Finding } from '../../check.ts';
import type { Subject } from '../../subject/subject.ts';
import { ofMethod } from './asking.ts';

const theme = 'Plans';

export const plannerPlanChecks: readonly Check[] = [
  {
    id: 'planner:plan:response-example',
    title: 'A request is answered with a plan, which is a list of tasks',
    severity: 'error',
    theme,
    fix: 'Answer create_plan with { plan: { tasks: [{ id, type, description, dependencies, priority }] } }.',
    run: (subject) =>
      ofPlan(subject, (tasks, plan) => verdict(tasks !== undefined, `The plan is ${shown(plan, 300)}`)),
  },
  {
    id: 'planner:plan:task-id',
    title: 'Every task of a plan has an id of its own, a type and a description',
    severity: 'error',
    theme,
    fix: 'Give every task an "id" that no other has, a "type" and a "description".',
    run: (subject) =>
      ofPlan(subject, (tasks = []) => {
        const ids = new Set(tasks.map((task) => (isTask(task) ? task['id'] : undefined)));
        const isGood = tasks.every(isTask) && ids.size === tasks.length;
        return verdict(isGood, `The tasks are ${shown(tasks, 300)}`);
      }),
  },
  {
    id: 'planner:plan:task-dependencies',
    title: 'Tasks depend on tasks of the same plan',
    severity: 'error',
    theme,
    fix: 'Name only ids of the plan in "dependencies".',
    run: (subject) =>
      ofPlan(subject, (tasks = []) => {
        const ids = tasks.flatMap((task) => (isJsonObject(task) ? [task['id']] : []));
        const wanted = tasks.flatMap((task) => (isJsonObject(task) ? textsIn(task['dependencies']) : []));
        const missing = wanted.filter((id) => !ids.includes(id));
        return verdict(
          missing.length === 0,
          missing.length === 0 ? 'All are there.' : `No task is ${shown(missing)}`,
        );
      }),
  },
  {
    id: 'planner:plan:task-priority',
    title: 'Every task of a plan has a priority',
    severity: 'warning',
    theme,
    fix: 'Give every task a "priority", a number.',
    run: (subject) =>
      ofPlan(subject, (tasks = []) => {
        const without = tasks.find((task) => !isJsonObject(task) || typeof task['priority'] !== 'number');
        return verdict(
          without === undefined,
          without === undefined ? 'All have one.' : `A task is ${shown(without, 200)}`,
        );
      }),
  },
  {
    id: 'planner:plan:explanation',
    title: 'A plan says why it is as it is',
    severity: 'warning',
    theme,
    fix: 'Put "explanation", a string, beside the tasks of the plan.',
    run: (subject) =>
      ofPlan(subject, (_, plan) => {
        if (!isJsonObject(plan)) return doesNotApply('There is no plan.');
        const { explanation } = plan;
        return verdict(typeof explanation === 'string', `explanation is ${shown(explanation)}`);
      }),
  },
  {
    id: 'planner:plan:estimated-time-seconds',
    title: 'A plan tells how long it is going to take',
    severity: 'info',
    theme,
    fix: 'Put "estimated_time_seconds", a number, beside the tasks of the plan.',
    run: (subject) =>
      ofPlan(subject, (_, plan) => {
        if (!isJsonObject(plan)) return doesNotApply('There is no plan.');
        const { estimated_time_seconds: seconds } = plan;
        const isGood = typeof seconds === 'number' && seconds >= 0;
        return verdict(isGood, `estimated_time_seconds is ${shown(seconds)}`);
      }),
  },
  {
    id: 'planner:plan:constraints-max-tasks',
    title: 'A plan has no more tasks than it may have',
    severity: 'warning',
    theme,
    fix: 'Make no more tasks than constraints.max_tasks.',
    run: (subject) =>
      ofPlan(
        subject,
        (tasks = []) => verdict(tasks.length <= 1, `max_tasks was 1, and there are ${tasks.length} tasks.`),
        1,
      ),
  },
];

function ofPlan(
  subject: Subject,
  look: (tasks: readonly Json[] | undefined, plan: Json | undefined) => Finding,
  maxTasks = 5,
): Promise<Finding> {
  const params = {
    user_request: 'Count the words of a text, then tell the longest one.',
    current_state: { completed_tasks: [], pending_tasks: [], context: {} },
    constraints: { max_tasks: maxTasks, time_limit_seconds: 60 },
  };
  return ofMethod(subject, 'create_plan', params, ({ plan }) => {
    const tasks = isJsonObject(plan) ? plan['tasks'] : undefined;
    return look(isJsonArray(tasks) ? tasks : undefined, plan);
  });
}

function isTask(task: Json): task is JsonObject {
  return isJsonObject(task) && ['id', 'type', 'description'].every((key) => typeof task[key] === 'string');
}
