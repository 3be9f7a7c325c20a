// The manifest of a definition.
import { defined } from '../../base/json.ts';
import { Emitter } from '../../base/emitter.ts';
import type { CommandManifest, Manifest } from '../manifest.ts';
import type { CommandDefinition, Definition, ToolDefinition, AnyConfig } from '../definition.ts';
import type { Tool } from '../tool.ts';

/** @param instructions the current ones; before the first setup the fixed ones */
export function manifestOf(definition: Definition, instructions = fixedInstructions(definition)): Manifest {
  const { name, version, description, author, config, extractor, planner, executor } = definition;
  return {
    name,
    version,
    dialect: 'in-process',
    ...defined({
      description,
      author,
      instructions,
      configSchema: config?.jsonSchema,
      extractor: extractor && { formats: extractor.formats, extensions: extractor.extensions },
      planner: planner && true,
      executor: executor && (executor.validateCode === undefined ? {} : { validateCode: true }),
      talks: definition.onInput && true,
      keepsContext: definition.updateContext && true,
    }),
    requires: definition.requires.map((command) => ({ command })),
    tools: definition.tools.map((tool) => toolOf(tool, definition.autoApprove.includes(tool.name))),
    commands: definition.commands.map(commandOf),
    raw: null,
  };
}

function fixedInstructions({ instructions }: Definition): string | undefined {
  return typeof instructions === 'string' ? instructions : undefined;
}

function toolOf(definition: ToolDefinition, autoApprove: boolean): Tool {
  const {
    input: _i,
    output: _o,
    handler: _h,
    timeoutMs: _t,
    isolate: _s,
    describe: _d,
    ...tool
  } = definition;
  return autoApprove ? { ...tool, autoApprove } : tool;
}

function commandOf({
  handler: _h,
  complete: _c,
  timeoutMs: _t,
  ...command
}: CommandDefinition): CommandManifest {
  return command;
}

export class CurrentInstructions {
  readonly #source: Definition['instructions'];
  readonly #changes = new Emitter<void>();
  #text: string | undefined;

  constructor(definition: Definition) {
    this.#source = definition.instructions;
    this.#text = fixedInstructions(definition);
  }

  /** Undefined where there are none, or none yet. */
  get text(): string | undefined {
    return this.#text;
  }

  onChanged(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  /** Calls the function of the author, whose errors are passed on. */
  ask(config: AnyConfig): void {
    if (typeof this.#source !== 'function') return;
    const given: unknown = this.#source(config);
    const text = typeof given === 'string' ? given : undefined;
    if (text === this.#text) return;
    this.#text = text;
    this.#changes.emit();
  }
}
