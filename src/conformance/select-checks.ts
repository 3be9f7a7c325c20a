// The checks that a user wants, by patterns of their ids.
import { PluglotError } from '../base/error.ts';
import type { Check } from './check.ts';

/** @throws PluglotError INVALID_ARGUMENTS when there are none */
export function selectChecks(
  checks: readonly Check[],
  only: readonly string[] | undefined,
): readonly Check[] {
  if (only === undefined) return checks;
  const patterns = only.map((words) => new RegExp(words.split('*').map(escaped).join('.*')));
  const some = checks.filter(({ id }) => patterns.some((pattern) => pattern.test(id)));
  if (some.length > 0) return some;
  throw new PluglotError(
    'INVALID_ARGUMENTS',
    `No check has an id with "${only.join('" or "')}" in it. There are, for example: ${checks
      .slice(0, 3)
      .map(({ id }) => id)
      .join(', ')}.`,
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
