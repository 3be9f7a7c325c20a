// What several checks of YAMS ask of what they look at.
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { doesNotApply, type Finding } from '../../check.ts';
import { isExtractor } from '../../drivers/yams-extraction.ts';
import type { Subject } from '../../subject/subject.ts';

/** Empty where it answered with none. */
export async function manifestOf(subject: Subject): Promise<JsonObject> {
  const { introduction } = await subject.session();
  return isJsonObject(introduction.raw) ? introduction.raw : {};
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
