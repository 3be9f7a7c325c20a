// The tools of a server as they were listed last, and when they are asked for anew.
import { toError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { shortened } from '../../base/shown.ts';
import { sentence } from '../../base/sentence.ts';
import type { Tool } from '../../definition/tool.ts';
import type { HostServices } from '../host-dialect.ts';
import type { Line } from './line.ts';
import { OutputCheck } from './output-check.ts';
import { listTools, type Ask } from './pages.ts';
import type { ToolResult } from './schema.ts';

/** How long after the news of other tools they are asked for: a server that changes many tells it for each. */
const RELIST_AFTER_MS = 100;

export class KnownTools {
  readonly #line: Line;
  readonly #pluginName: string;
  readonly #services: HostServices;
  readonly #outputs: OutputCheck;
  #tools: ReadonlyMap<string, Tool> = new Map();
  #raw: ReadonlyMap<string, Json> = new Map();
  /** Asks for them anew; undefined until the server has introduced itself. */
  #ask: Ask | undefined;
  /** Whether they are asked for anew, and whether they have changed since. */
  #relisting: 'no' | 'soon' | 'now' | 'now and again' = 'now';

  constructor(line: Line, pluginName: string, services: HostServices) {
    this.#line = line;
    this.#pluginName = pluginName;
    this.#services = services;
    this.#outputs = new OutputCheck(services);
  }

  /** From the wire, as the server told it. */
  rawOf(name: string): Json | undefined {
    return this.#raw.get(name);
  }

  async learn(ask: Ask): Promise<readonly Tool[]> {
    const { tools, raw } = await listTools(this.#pluginName, ask, (trouble) =>
      this.#services.trouble(trouble),
    );
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#raw = raw;
    this.#outputs.reset();
    return tools;
  }

  /** From now on news of other tools is followed by a question for them. */
  follow(ask: Ask): void {
    this.#ask = ask;
    this.#relistingDone();
  }

  changed(): void {
    if (this.#relisting === 'now' || this.#relisting === 'now and again') {
      this.#relisting = 'now and again';
    } else if (this.#relisting === 'no') {
      this.#relisting = 'soon';
      this.#services.clock.after(RELIST_AFTER_MS, () => void this.#relist());
    }
  }

  /** What is wrong with what a tool answered, measured by its own output schema. */
  outputProblem(name: string, result: ToolResult): string | undefined {
    const tool = this.#tools.get(name);
    if (tool?.outputSchema === undefined) return undefined;
    if (!result.structured || result.data === undefined)
      return `Plugin "${this.#pluginName}" has an output schema for "${name}" and answered without structured content.`;
    const problem = this.#outputs.problemOf(tool, result.data);
    return (
      problem &&
      `Plugin "${this.#pluginName}" answered "${name}" with other than its output schema says: ${sentence(shortened(problem))}`
    );
  }

  async #relist(): Promise<void> {
    const ask = this.#ask;
    if (ask === undefined || this.#line.ending !== undefined) return;
    this.#relisting = 'now';
    try {
      this.#services.toolsChanged(await this.learn(ask));
    } catch (thrown) {
      this.#services.trouble({ kind: 'thrown', where: 'the news of other tools', error: toError(thrown) });
    }
    this.#relistingDone();
  }

  #relistingDone(): void {
    const again = this.#relisting === 'now and again';
    this.#relisting = 'no';
    if (again) this.changed();
  }
}
