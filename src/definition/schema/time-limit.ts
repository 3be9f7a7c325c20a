// Runs code that may never come to an end, such as a regular expression from a stranger.
import type { Context, Script } from 'node:vm';
import { builtins } from '../../base/builtins.ts';

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
