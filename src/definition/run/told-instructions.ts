// What a model is told of a plugin: a fixed text, or one that goes by the configuration and is asked for after each setup.
import { Emitter } from '../../base/emitter.ts';
import type { AnyConfig, Definition } from '../definition.ts';
import { fixedInstructions } from './profile-of.ts';

export class ToldInstructions {
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

  /** Asks for them; what the author throws is passed on. */
  ask(config: AnyConfig): void {
    if (typeof this.#source !== 'function') return;
    const told: unknown = this.#source(config);
    const text = typeof told === 'string' ? told : undefined;
    if (text === this.#text) return;
    this.#text = text;
    this.#changes.emit();
  }
}
