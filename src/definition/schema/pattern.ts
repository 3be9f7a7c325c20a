// Regular expressions in schemas. Most take no longer than their text is long; the others get a time limit, since the text is not trusted.
import type { Context, Script } from 'node:vm';
import { builtins } from '../../base/builtins.ts';
import { toError } from '../../base/error.ts';
import { type TestPattern, GivenUp } from './run.ts';

const MATCH_MS = 200;

/** The returned function throws Error for what is not a regular expression. */
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

/**
 * Whether it surely takes no longer than its input is long, or little more: anchored or not, it repeats at most one
 * single character or class without a bound, refers back to nothing, and leaves out or chooses between few things.
 */
export function isQuickPattern(pattern: string): boolean {
  if (pattern.length > 1000) return false;
  // Classes and escapes are one character each, whatever is in them.
  const plain = pattern.replaceAll(/\\[kK1-9]/g, '\uFFFF').replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x');
  if (plain.includes('\uFFFF') || /\)[*+?{]/.test(plain) || plain.includes('(?')) return false;
  const unbounded = plain.match(/[*+{]/g)?.length ?? 0;
  // Each of them may double the ways to try.
  const choices = plain.match(/[?|]/g)?.length ?? 0;
  const anchored = plain.startsWith('^') && !plain.includes('|');
  return choices <= 8 && unbounded <= (anchored ? 1 : 0);
}

export class TimeLimit {
  #room: { readonly context: Context; readonly script: Script } | undefined;

  /**
   * What the function returns. It costs some 0.2 ms, for a thread that watches the time.
   * @throws Error when it takes longer, or what it threw itself
   */
  run<Value>(limitMs: number, work: () => Value): Value {
    // The context is only where the time limit hangs; the function runs in its own.
    const { context, script } = (this.#room ??= makeRoom());
    let result: { readonly value: Value } | undefined;
    context['work'] = () => {
      result = { value: work() };
    };
    try {
      script.runInContext(context, { timeout: limitMs });
    } catch (error) {
      if (isTimeout(error)) throw new Error(`it took longer than ${limitMs} ms`, { cause: error });
      throw error;
    } finally {
      context['work'] = undefined;
    }
    if (result === undefined) throw new Error('it was interrupted');
    return result.value;
  }
}

function makeRoom(): { readonly context: Context; readonly script: Script } {
  const { createContext, Script } = builtins.vm;
  return { context: createContext(), script: new Script('work()') };
}

/** It comes from the context, whose Error is not ours. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
