// What a call gives its caller: what its tool promised, and not more than the caller can take.
import { toError } from '../../base/error.ts';
import { jsonText } from '../../base/text.ts';
import type { Answer } from '../../definition/outcome.ts';
import type { SchemaChecks } from '../../fleet/plugin/validation/schema-checks.ts';
import type { Subject } from '../policy/policy.ts';
import { isContent, type Target } from '../target.ts';
import { isPromise } from '../../base/async.ts';
import { bounded, outputLimits, type BoundedAnswer, type OutputOptions } from './bounded-answer.ts';
import type { SpillStore } from './spill-store.ts';
import type { Json } from '../../base/json.ts';
import type { JsonSchema, Tool } from '../../definition/tool.ts';

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
    // Its form is that of the protocol, and its sender bounds it.
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

/** Checks answers against the output schema of their tool. */
type Problems = (value: Json) => readonly string[];

class OutputSchemas {
  readonly #checks: SchemaChecks;
  readonly #byTool = new WeakMap<Tool, Problems>();

  constructor(checks: SchemaChecks) {
    this.#checks = checks;
  }

  /** Synchronous after the first call. Results are cached. Never throws and never rejects. */
  check(target: Target, answer: Answer): Answer | Promise<Answer> {
    if (target.kind !== 'tool' || !answer.ok || target.tool.outputSchema === undefined) return answer;
    const { tool, plugin } = target;
    const known = this.#byTool.get(tool);
    return known === undefined
      ? this.#prepare(tool, target.tool.outputSchema).then((problems) =>
          checked(problems, plugin, tool, answer),
        )
      : checked(known, plugin, tool, answer);
  }

  async #prepare(tool: Tool, schema: JsonSchema): Promise<Problems> {
    let problems: Problems;
    try {
      await this.#checks.load();
      problems =
        this.#checks.problemsOf(schema) ?? unusable('what schemas are checked with could not be loaded');
    } catch (thrown) {
      problems = unusable(`its output schema is of no use: ${toError(thrown).message.slice(0, 300)}`);
    }
    this.#byTool.set(tool, problems);
    return problems;
  }
}

function unusable(why: string): Problems {
  return () => [why];
}

function checked(problemsOf: Problems, plugin: string, { name }: Tool, answer: Answer): Answer {
  const { data } = answer;
  const problems = data === undefined ? ['it gave no data'] : problemsOf(data);
  if (problems.length === 0) return answer;
  return {
    ...answer,
    ok: false,
    error: {
      code: 'OUTPUT_INVALID',
      message: `What the tool "${name}" of plugin "${plugin}" answered does not match its output schema: ${problems.join('; ')}`,
      details: { problems: [...problems] },
    },
  };
}
