// What a tool answers is what it said it would: measured by its own output schema.
import { toError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import type { Answer } from '../../definition/outcome.ts';
import type { JsonSchema, Tool } from '../../definition/tool.ts';
import type { SchemaChecks } from '../../fleet/plugin/validation/schema-checks.ts';
import type { Target } from '../stages/known.ts';

type Problems = (value: Json) => readonly string[];

export class OutputSchemas {
  readonly #checks: SchemaChecks;
  readonly #byTool = new WeakMap<Tool, Problems>();

  constructor(checks: SchemaChecks) {
    this.#checks = checks;
  }

  /** At once but for the first time. What was said is kept. Never throws and never rejects. */
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
      message: `What the tool "${name}" of plugin "${plugin}" answered is not what its output schema says: ${problems.join('; ')}`,
      details: { problems: [...problems] },
    },
  };
}
