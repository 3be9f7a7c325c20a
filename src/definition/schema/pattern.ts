// Regular expressions in schemas. Most take no longer than their text is long; the others get a time limit, since the text comes from a stranger.
import { toError } from '../../base/error.ts';
import type { TestPattern } from './keyword.ts';
import { isQuickPattern } from './quick-pattern.ts';
import { GivenUp } from './run.ts';
import { TimeLimit } from './time-limit.ts';

const MATCH_MS = 200;

/** The returned function throws Error for what is no regular expression. */
export function patternTester(): (source: string) => TestPattern {
  const timeLimit = new TimeLimit();
  return (source) => {
    const pattern = compiled(source);
    if (isQuickPattern(source)) return (text) => pattern.test(text);
    return (text) => {
      try {
        return timeLimit.run(MATCH_MS, () => pattern.test(text));
      } catch (thrown) {
        throw new GivenUp(`matching the pattern ${source} failed: ${toError(thrown).message}`);
      }
    };
  };
}

/** The specification wants Unicode; some patterns are only right without it, such as `\-`. */
function compiled(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}
