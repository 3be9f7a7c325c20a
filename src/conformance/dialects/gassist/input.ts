// How a plugin takes what the user says. One that has no session open may refuse it.
import { isJsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { doesNotApply, passed, verdict, type Check, type Finding } from '../../check.ts';
import type { Subject } from '../../subject/subject.ts';
import { interview, sayHello, valueOf, type InputAnswers } from './interview.ts';

const theme = 'Sessions';

export const gassistInputChecks: readonly Check[] = [
  {
    id: 'gassist:input:acknowledged-first',
    title: 'An input is acknowledged before all else',
    severity: 'error',
    theme,
    fix: 'Answer input with { "acknowledged": true } before you work on it or stream anything.',
    run: (subject) =>
      looksAtInput(subject, ({ first }) => {
        const { result } = first;
        const isGood = isJsonObject(result) && result['acknowledged'] === true;
        return verdict(isGood, `The first that came was ${shown(first, 200)}`);
      }),
  },
  {
    id: 'gassist:timeouts:ack',
    title: 'An input is acknowledged within two seconds',
    severity: 'error',
    theme,
    fix: 'Acknowledge where the input is read, before any other work: the engine ends a plugin that does not.',
    run: (subject) =>
      looksAtInput(subject, async ({ firstMs }) => {
        // A busy machine may delay one.
        const took = firstMs <= ACK_MS ? firstMs : Math.min(firstMs, await msOfAnother(subject));
        return verdict(took <= ACK_MS, `It took ${took} ms.`);
      }),
  },
  {
    id: 'gassist:input:answer-by-notifications',
    title: 'An input is answered by notifications that name it',
    severity: 'error',
    theme,
    fix: 'After the acknowledgement send stream and complete, or error, with the id of the input as request_id.',
    run: (subject) => looksAtInput(subject, ({ end }) => passed(`It ended with ${shown(valueOf(end), 200)}`)),
  },
];

const ACK_MS = 2000;

async function msOfAnother(subject: Subject): Promise<number> {
  const { conversation, probe } = await subject.greet();
  return (await sayHello(conversation, probe, subject.limits.callMs)).firstMs;
}

async function looksAtInput(
  subject: Subject,
  look: (input: InputAnswers) => Finding | Promise<Finding>,
): Promise<Finding> {
  const input = valueOf((await subject.shared(interview)).input);
  if (!('error' in input.first)) return look(input);
  return doesNotApply(
    `It took no input: ${shown(input.first, 200)}. Name a function that opens a session with --tool.`,
  );
}
