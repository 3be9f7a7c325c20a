// What a call gives its caller: what its tool promised, and not more than the caller can take.
import { toError } from '../../base/error.ts';
import type { Answer } from '../../definition/outcome.ts';
import type { SchemaChecks } from '../../fleet/plugin/validation/schema-checks.ts';
import type { Subject } from '../policy/policy.ts';
import type { Target } from '../stages/known.ts';
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

  /** Never rejects. */
  async of(target: Target, { name, caller }: Subject, answer: Answer): Promise<BoundedAnswer> {
    try {
      const checked = this.#schemas === undefined ? answer : await this.#schemas.check(target, answer);
      return await bounded(checked, this.#limitsOf(name, caller), this.#store);
    } catch (thrown) {
      const message = `What "${name}" answered cannot be handed on: ${toError(thrown).message.slice(0, 300)}`;
      return { answer: { ok: false, error: { code: 'OUTPUT_INVALID', message } }, bytes: 0 };
    }
  }

  /** Nothing is left of what was too large. */
  async close(): Promise<void> {
    await this.#store?.close();
  }
}
