// Definitions as they were when they were first allowed: a tool that changes its definition later is asked about again.
import { deferred, type Deferred } from '../../base/async.ts';
import { toError } from '../../base/error.ts';
import { isContent, type DefinedTarget, type Target } from '../target.ts';
import {
  Definitions,
  differenceOf,
  hashWithoutHints,
  keyOf,
  newText,
  type PinnedDefinition,
} from './definition.ts';
import type { Pin, PinKeeper } from './pin-file.ts';

export type PinFinding =
  | { readonly kind: 'pinned' }
  /** Nothing of its plugin was approved yet. */
  | { readonly kind: 'new' }
  /** Its plugin did not have it when that was approved. */
  | { readonly kind: 'held'; /** All of it. */ readonly difference: string }
  | { readonly kind: 'changed'; /** Line by line. */ readonly difference: string }
  /** It cannot be compared with the approved one. */
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface DefinitionPinsOptions {
  readonly keeper: PinKeeper;
  /** Keeps apart what has the same name in different projects. @default '' */
  readonly scope?: string;
  readonly now: () => Date;
}

/** A plugin as such has no definition. */
const NOTHING = '0'.repeat(64);

interface Batch {
  readonly definitions: Map<string, PinnedDefinition>;
  /** Pinned where nothing is yet: what else the plugins have that were approved. */
  readonly others: Map<string, PinnedDefinition>;
  readonly plugins: Set<string>;
  /** Pinned by an earlier version, without the hints. */
  readonly upgraded: Map<string, PinnedDefinition>;
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
  look(target: DefinedTarget): PinFinding | Promise<PinFinding> {
    const definition = this.#definitionOf(target);
    if (definition instanceof Error) return { kind: 'unreadable', reason: definition.message };
    if (this.#known.get(definition.key) === definition.sha256) return { kind: 'pinned' };
    return this.#lookAgain(definition);
  }

  /** Whether it still is what it was when it was asked about. */
  isSame(one: Target, other: Target): boolean {
    if (isContent(one) || isContent(other)) return one === other;
    const before = this.#definitionOf(one);
    const after = this.#definitionOf(other);
    if (before instanceof Error || after instanceof Error) return one === other;
    return before.sha256 === after.sha256 && before.plugin === after.plugin;
  }

  /** The names of those that are held until a person has looked at them. Empty where the pins cannot be read. */
  async heldOf(targets: readonly DefinedTarget[]): Promise<ReadonlyMap<string, 'new' | 'changed'>> {
    const pins = await this.#read().catch(() => []);
    const approved = new Set(
      pins.flatMap(({ kind, plugin, scope }) => (kind === 'plugin' && scope === this.#scope ? [plugin] : [])),
    );
    const found = await Promise.all(
      targets
        .filter(({ plugin, origin }) => approved.has(plugin) && origin !== 'built-in')
        .map(async (target) => [target.name, (await this.look(target)).kind] as const),
    );
    const held = new Map<string, 'new' | 'changed'>();
    for (const [name, kind] of found) {
      if (kind === 'held') held.set(name, 'new');
      else if (kind === 'changed') held.set(name, 'changed');
    }
    return held;
  }

  /** `others`: all that its plugin has now, which is pinned with the first of them. @throws Error when it cannot be written down */
  async pin(target: Target, others?: readonly DefinedTarget[]): Promise<void> {
    if (isContent(target)) return;
    const definition = this.#definitionOf(target);
    if (definition instanceof Error) throw definition;
    await this.#write((batch) => {
      batch.definitions.set(definition.key, definition);
      if (others !== undefined) batch.plugins.add(target.plugin);
      for (const one of (others ?? []).map((other) => this.#definitionOf(other)))
        if (!(one instanceof Error)) batch.others.set(one.key, one);
    });
  }

  /** Others may have approved it, in another process. */
  async #lookAgain(definition: PinnedDefinition): Promise<PinFinding> {
    try {
      const pins = await this.#read();
      for (const pin of pins) this.#known.set(keyOf(pin), pin.sha256);
      const before = pins.find((pin) => keyOf(pin) === definition.key);
      if (before === undefined) {
        const marker = this.#markerOf(definition.plugin);
        const isApproved = definition.kind === 'tool' && pins.some((pin) => keyOf(pin) === marker);
        return isApproved ? { kind: 'held', difference: newText(definition.text) } : { kind: 'new' };
      }
      if (before.sha256 === definition.sha256) return { kind: 'pinned' };
      if (definition.kind === 'tool' && before.sha256 === hashWithoutHints(definition.text)) {
        await this.#write(({ upgraded }) => void upgraded.set(definition.key, definition));
        return { kind: 'pinned' };
      }
      return { kind: 'changed', difference: await differenceOf(before.definition, definition.text) };
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

  /** Resolves when it stands in the file. */
  async #write(add: (batch: Batch) => void): Promise<void> {
    const batch = (this.#batch ??= {
      definitions: new Map(),
      others: new Map(),
      plugins: new Set(),
      upgraded: new Map(),
      done: deferred(),
    });
    add(batch);
    void this.#writeAll();
    await batch.done.promise;
  }

  /** One change of the file at a time. */
  async #writeAll(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    for (let batch = this.#batch; batch !== undefined; batch = this.#batch) {
      this.#batch = undefined;
      try {
        await this.#keep(batch);
        batch.done.resolve();
      } catch (thrown) {
        batch.done.reject(toError(thrown));
      }
    }
    this.#isWriting = false;
  }

  async #keep({ definitions, others, plugins, upgraded }: Batch): Promise<void> {
    const approvedAt = this.#now().toISOString();
    const pinOf = ({ kind, plugin, name, sha256, text }: PinnedDefinition): Pin => {
      return { kind, plugin, name, scope: this.#scope, sha256, approvedAt, definition: text };
    };
    let written: readonly PinnedDefinition[] = [];
    await this.#keeper.change((pins) => {
      const known = new Set(pins.map(keyOf));
      const approved = [...plugins].filter((plugin) => !known.has(this.#markerOf(plugin)));
      // What an approved plugin added since has to be looked at by a person.
      const rest = [...others.values()].filter(
        ({ key, plugin }) => approved.includes(plugin) && !known.has(key) && !definitions.has(key),
      );
      written = [...definitions.values(), ...rest];
      return [
        ...pins.filter((pin) => !definitions.has(keyOf(pin))).map((pin) => upgradedPin(pin, upgraded)),
        ...written.map(pinOf),
        ...approved.map((plugin): Pin => {
          return { kind: 'plugin', plugin, name: '', scope: this.#scope, sha256: NOTHING, approvedAt };
        }),
      ];
    });
    for (const { key, sha256 } of [...upgraded.values(), ...written]) this.#known.set(key, sha256);
  }

  #markerOf(plugin: string): string {
    return keyOf({ scope: this.#scope, kind: 'plugin', plugin, name: '' });
  }

  #definitionOf(target: DefinedTarget): PinnedDefinition | Error {
    try {
      return this.#definitions.of(target);
    } catch (thrown) {
      return new Error(`its definition cannot be written down: ${toError(thrown).message}`);
    }
  }
}

/** Approved when it was; another process may have pinned another definition meanwhile. */
function upgradedPin(pin: Pin, upgraded: Batch['upgraded']): Pin {
  const definition = upgraded.get(keyOf(pin));
  if (definition === undefined || pin.sha256 !== hashWithoutHints(definition.text)) return pin;
  return { ...pin, sha256: definition.sha256, definition: definition.text };
}
