// What a call gives its caller: what its tool promised, and not more than the caller can take.
import { toError } from '../../base/error.ts';
import { jsonText } from '../../base/shown.ts';
import type { Answer } from '../../definition/outcome.ts';
import type { SchemaChecks } from '../../fleet/plugin/validation/schema-checks.ts';
import type { Subject } from '../policy/policy.ts';
import { isContent, type Target } from '../stages/known.ts';
import { isPromise } from '../step.ts';
import { bounded, type BoundedAnswer } from './bounded-answer.ts';
import { outputLimits, type OutputOptions } from './output-limits.ts';
import { OutputSchemas } from './output-schema.ts';
import type { SpillStore } from './spill-store.ts';

export class Results {
  readonly #schemas: OutputSchemas | undefined;
  readonly #limitsOf: ReturnType<typeof outputLimits>;
  readonly #store: SpillStore | undefined;

  constructor(options: OutputOptions, checks: SchemaChecks, store: SpillStore | undefined) {
    this.#schemas = options.checkSchema === false ? undefined : new OutputSchemas(checks);
    this.#limitsOf = outputLimits(options);
    this.#store = store;
  }

  /** At once for what is small, and measured before. Never throws and never rejects. */
  of(target: Target, subject: Subject, answer: Answer): BoundedAnswer | Promise<BoundedAnswer> {
    // Its form is that of the protocol, and whoever sends it bounds it.
    if (isContent(target)) return { answer, bytes: Buffer.byteLength(jsonText(answer.data)) };
    const failed = (thrown: unknown) => notHandedOn(subject, thrown);
    try {
      const checked = this.#schemas === undefined ? answer : this.#schemas.check(target, answer);
      const result = isPromise(checked)
        ? checked.then((found) => this.#bounded(subject, found))
        : this.#bounded(subject, checked);
      return isPromise(result) ? result.catch(failed) : result;
    } catch (thrown) {
      return failed(thrown);
    }
  }

  #bounded({ name, caller }: Subject, answer: Answer): BoundedAnswer | Promise<BoundedAnswer> {
    return bounded(answer, this.#limitsOf(name, caller), this.#store, caller);
  }

  /** Nothing is left of what was too large. */
  async close(): Promise<void> {
    await this.#store?.close();
  }
}

function notHandedOn({ name }: Subject, thrown: unknown): BoundedAnswer {
  const message = `What "${name}" answered cannot be handed on: ${toError(thrown).message.slice(0, 300)}`;
  return { answer: { ok: false, error: { code: 'OUTPUT_INVALID', message } }, bytes: 0 };
}
