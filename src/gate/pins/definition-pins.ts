// Definitions as they were when they were first allowed: a tool that later says something else of itself is asked about again.
import { deferred, type Deferred } from '../../base/deferred.ts';
import { toError } from '../../base/error.ts';
import type { Target } from '../stages/known.ts';
import { Definitions, differenceOf, keyOf, type PinnedDefinition } from './definition.ts';
import type { Pin, PinKeeper } from './pin-file.ts';

export type PinFinding =
  | { readonly kind: 'pinned' }
  | { readonly kind: 'new' }
  | { readonly kind: 'changed'; /** Line by line. */ readonly difference: string }
  /** Nobody can tell whether it is what it was. */
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface DefinitionPinsOptions {
  readonly keeper: PinKeeper;
  /** Keeps apart what has the same name in different projects. @default '' */
  readonly scope?: string;
  readonly now: () => Date;
}

interface Batch {
  readonly definitions: Map<string, PinnedDefinition>;
  readonly done: Deferred<void>;
}

export class DefinitionPins {
  readonly #keeper: PinKeeper;
  readonly #scope: string;
  readonly #now: () => Date;
  readonly #definitions: Definitions;
  /** Hashes, as they were last read or written. */
  readonly #known = new Map<string, string>();
  /** To be written with the next change of the file; all that come meanwhile go with it. */
  #batch: Batch | undefined;
  #reading: Promise<readonly Pin[]> | undefined;
  #isWriting = false;

  constructor({ keeper, scope = '', now }: DefinitionPinsOptions) {
    this.#keeper = keeper;
    this.#scope = scope;
    this.#definitions = new Definitions(scope);
    this.#now = now;
  }

  /** At once where it is as it is known to be. Never throws and never rejects. */
  look(target: Target): PinFinding | Promise<PinFinding> {
    const definition = this.#definitionOf(target);
    if (definition instanceof Error) return { kind: 'unreadable', reason: definition.message };
    if (this.#known.get(definition.key) === definition.sha256) return { kind: 'pinned' };
    return this.#lookAgain(definition);
  }

  /** Whether it still is what it was when it was asked about. */
  isSame(one: Target, other: Target): boolean {
    const before = this.#definitionOf(one);
    const after = this.#definitionOf(other);
    if (before instanceof Error || after instanceof Error) return one === other;
    return before.sha256 === after.sha256 && before.plugin === after.plugin;
  }

  /** @throws Error when it cannot be written down */
  async pin(target: Target): Promise<void> {
    const definition = this.#definitionOf(target);
    if (definition instanceof Error) throw definition;
    const batch = (this.#batch ??= { definitions: new Map(), done: deferred() });
    batch.definitions.set(definition.key, definition);
    void this.#writeAll();
    await batch.done.promise;
  }

  /** Others may have approved it, in another process. */
  async #lookAgain(definition: PinnedDefinition): Promise<PinFinding> {
    try {
      const pins = await this.#read();
      for (const pin of pins) this.#known.set(keyOf(pin), pin.sha256);
      const before = pins.find((pin) => keyOf(pin) === definition.key);
      if (before === undefined) return { kind: 'new' };
      if (before.sha256 === definition.sha256) return { kind: 'pinned' };
      return { kind: 'changed', difference: differenceOf(before.definition, definition.text) };
    } catch (thrown) {
      return { kind: 'unreadable', reason: toError(thrown).message };
    }
  }

  /** Many tools that are called for the first time together need one look. */
  #read(): Promise<readonly Pin[]> {
    this.#reading ??= this.#keeper.read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** One change of the file at a time. */
  async #writeAll(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    for (let batch = this.#batch; batch !== undefined; batch = this.#batch) {
      this.#batch = undefined;
      try {
        await this.#keep(batch.definitions);
        batch.done.resolve();
      } catch (thrown) {
        batch.done.reject(toError(thrown));
      }
    }
    this.#isWriting = false;
  }

  async #keep(batch: ReadonlyMap<string, PinnedDefinition>): Promise<void> {
    const approvedAt = this.#now().toISOString();
    await this.#keeper.change((pins) => [
      ...pins.filter((pin) => !batch.has(keyOf(pin))),
      ...[...batch.values()].map(({ kind, plugin, name, sha256, text }) => {
        return { kind, plugin, name, scope: this.#scope, sha256, approvedAt, definition: text };
      }),
    ]);
    for (const [key, { sha256 }] of batch) this.#known.set(key, sha256);
  }

  #definitionOf(target: Target): PinnedDefinition | Error {
    try {
      return this.#definitions.of(target);
    } catch (thrown) {
      return new Error(`its definition cannot be written down: ${toError(thrown).message}`);
    }
  }
}
