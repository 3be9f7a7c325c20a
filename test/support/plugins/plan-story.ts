// All that can become of a plan, as a reporter receives it.
import type { Plan, Step } from '../../../src/plugins/todo/plan.ts';
import { planEvent, type EventType, type Reporter } from '../../../src/plugins/todo/reporter.ts';
import {
  created,
  ended,
  started,
  stepAdded,
  stepUpdated,
  type Origin,
} from '../../../src/plugins/todo/transitions.ts';

let ids = 0;
export const origin: Origin = {
  now: () => new Date(2026, 0, 1, 12, 30, 15),
  newId: () => String((ids += 1)).padStart(12, '0'),
};

/** All that can become of a plan, in order. */
export function story(title = 'Tidy up', result = '3 things'): [EventType, Plan, Step | null][] {
  const made = created(title, ['look', 'sweep'], origin);
  const begun = started(made, origin);
  const [first, second] = made.steps as [Step, Step];
  const one = stepUpdated(begun, { step_id: first.step_id, status: 'in_progress' }, origin);
  const two = stepUpdated(one.plan, { step_id: first.step_id, status: 'completed', result }, origin);
  const three = stepAdded(two.plan, 'wash', undefined, origin);
  const four = stepUpdated(
    three.plan,
    { step_id: second.step_id, status: 'failed', error: 'no broom' },
    origin,
  );
  const five = stepUpdated(four.plan, { step_id: three.step.step_id, status: 'skipped' }, origin);
  const over = ended(five.plan, 'completed', 'Cleaner now', origin);
  return [
    ['plan_created', made, null],
    ['plan_started', begun, null],
    ['step_in_progress', one.plan, one.step],
    ['step_completed', two.plan, two.step],
    ['step_added', three.plan, three.step],
    ['step_failed', four.plan, four.step],
    ['step_skipped', five.plan, five.step],
    ['plan_completed', over, null],
  ];
}

export function tell(reporter: Reporter, events = story()): void {
  for (const [type, plan, step] of events) reporter.report(planEvent(type, plan, step, origin.now()), plan);
}
