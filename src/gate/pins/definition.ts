// What a tool or a command says of itself, as far as somebody relies on it when they allow it.
import { createHash } from 'node:crypto';
import type { Json } from '../../base/json.ts';
import { lineDiff } from '../../base/line-diff.ts';
import type { CommandProfile } from '../../definition/backend.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import { canonical } from '../../definition/schema/canonical.ts';
import { Run } from '../../definition/schema/run.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Defined } from '../stages/known.ts';
import type { Pin } from './pin-file.ts';

export interface PinnedDefinition {
  readonly kind: 'tool' | 'command';
  readonly plugin: string;
  /** The plugin's own, which stays when it is exposed under another. */
  readonly name: string;
  /** Names it among all that are pinned. */
  readonly key: string;
  readonly sha256: string;
  /** As JSON, with the keys in order. */
  readonly text: string;
}

/** Made once for each declaration: one that is declared anew is another object. */
export class Definitions {
  readonly #known = new WeakMap<object, PinnedDefinition>();
  readonly #scope: string;

  constructor(scope: string) {
    this.#scope = scope;
  }

  /** @throws Error when it is too deep or too large to be written down */
  of(target: Defined): PinnedDefinition {
    const declared = target.kind === 'tool' ? target.tool : target.command;
    const known = this.#known.get(declared);
    if (known !== undefined && known.plugin === target.plugin) return known;
    const text = canonical(relevantOf(target), new Run());
    const sha256 = createHash('sha256').update(text).digest('hex');
    const named = { kind: target.kind, plugin: target.plugin, name: declared.name };
    const definition = { ...named, key: keyOf({ ...named, scope: this.#scope }), sha256, text };
    this.#known.set(declared, definition);
    return definition;
  }
}

export function keyOf({
  scope,
  kind,
  plugin,
  name,
}: Pick<Pin, 'scope' | 'kind' | 'plugin' | 'name'>): string {
  return JSON.stringify([scope, kind, plugin, name]);
}

function relevantOf(target: Defined): Json {
  const plain = plainJson(target.kind === 'tool' ? ofTool(target.tool) : ofCommand(target.command), 'it');
  if ('problem' in plain) throw new Error(plain.problem);
  return plain.json;
}

function ofTool({ name, title, description, inputSchema, outputSchema }: Tool): object {
  return { name, title, description, inputSchema, outputSchema };
}

function ofCommand({ name, description, parameters }: CommandProfile): object {
  return { name, description, parameters };
}

/** All lines of one that nobody has approved yet. */
export function newText(text: string): string {
  return readable(text).replaceAll(/^/gm, '+');
}

/** Line by line, of two that are written as JSON. */
export function differenceOf(before: string | undefined, after: string): string {
  if (before === undefined)
    return `(What it was before is not kept any more; this is what it is now.)\n${readable(after)}`;
  return lineDiff(readable(before), readable(after));
}

const LINE_MAX = 160;

/** Long texts are cut where their sentences end, so that a change in one of them is not a change of all. */
function readable(text: string): string {
  // Written by ourselves, from JSON.
  const pretty = JSON.stringify(JSON.parse(text) as Json, undefined, 2);
  return pretty
    .split('\n')
    .flatMap((line) => (line.length <= LINE_MAX ? [line] : cut(line)))
    .join('\n');
}

function cut(line: string): string[] {
  const indent = /^ */.exec(line)?.[0] ?? '';
  return line
    .split(/(?<=\\n|[.!?;,] )/)
    .flatMap((piece) => piece.match(/[^]{1,160}/g) ?? [])
    .map((piece, index) => (index === 0 ? piece : `${indent}    ${piece}`));
}
