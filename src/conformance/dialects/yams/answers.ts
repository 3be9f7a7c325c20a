// What the recorded session of a YAMS plugin has in it.
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { doesNotApply, Unmet, type Finding } from '../../check.ts';
import { isExtractor } from '../../drivers/yams-extraction.ts';
import type { Subject } from '../../subject/subject.ts';

/** Empty where it answered with none. */
export async function manifestOf(subject: Subject): Promise<JsonObject> {
  const { introduction } = await subject.session();
  return isJsonObject(introduction.raw) ? introduction.raw : {};
}

/**
 * The result that a question of the session was answered with.
 * @throws Unmet where there is none
 */
export async function resultOf(subject: Subject, question: string): Promise<JsonObject> {
  const { answers } = await subject.session();
  const answer = answers[question];
  if (answer === undefined) throw new Unmet('It was not asked: the manifest names nothing to ask about.');
  if (answer instanceof Unmet) throw answer;
  if (isJsonObject(answer['result'])) return answer['result'];
  throw new Unmet(`Expected an object as the result; it answered ${shown(answer, 200)}`);
}

/** Runs it only where the plugin says that it extracts content. */
export function ofExtractors(
  run: (subject: Subject) => Promise<Finding>,
): (subject: Subject) => Promise<Finding> {
  return async (subject) => {
    const { introduction } = await subject.session();
    return isExtractor(introduction.raw)
      ? run(subject)
      : doesNotApply('It does not have content_extractor_v1.');
  };
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
