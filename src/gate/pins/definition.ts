// The parts of a tool's or command's declaration that a person relies on when allowing it.
import { createHash } from 'node:crypto';
import { canonicalJson, type Json, type JsonObject } from '../../base/json.ts';
import type { CommandManifest } from '../../definition/manifest.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import type { Tool } from '../../definition/tool.ts';
import type { DefinedTarget } from '../target.ts';
import type { Pin } from './pin-file.ts';
import { lineDiff } from './line-diff.ts';

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
  of(target: DefinedTarget): PinnedDefinition {
    const declared = target.kind === 'tool' ? target.tool : target.command;
    const known = this.#known.get(declared);
    if (known !== undefined && known.plugin === target.plugin) return known;
    const text = canonicalJson(relevantOf(target));
    const sha256 = hashOf(text);
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

function relevantOf(target: DefinedTarget): Json {
  const plain = plainJson(target.kind === 'tool' ? ofTool(target.tool) : ofCommand(target.command), 'it');
  if ('problem' in plain) throw new Error(plain.problem);
  return plain.json;
}

function ofTool({ name, title, description, hints, inputSchema, outputSchema }: Tool): object {
  // Always there, so that a pin without hints is one of an earlier version.
  const decisive = {
    ...(hints?.readOnly === true && { readOnly: true }),
    ...(hints?.destructive === true && { destructive: true }),
  };
  return { name, title, description, hints: decisive, inputSchema, outputSchema };
}

/** The hash that earlier versions pinned, which left the hints out. */
export function hashWithoutHints(text: string): string {
  // Written by ourselves, from an object.
  const { hints: _, ...rest } = JSON.parse(text) as JsonObject;
  return hashOf(canonicalJson(rest));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function ofCommand({ name, description, parameters }: CommandManifest): object {
  return { name, description, parameters };
}

/** All lines of a definition that was never approved, as added ones. */
export function newText(text: string): string {
  return readable(text).replaceAll(/^/gm, '+');
}

/** Line by line, of two that are written as JSON. */
export async function differenceOf(before: string | undefined, after: string): Promise<string> {
  if (before === undefined)
    return `(What it was before is not kept any more; this is what it is now.)\n${readable(after)}`;
  return lineDiff(readable(before), readable(after));
}

const LINE_MAX = 160;

/** Long texts are cut where their sentences end, so that a change in one of them is not a change of all. */
function readable(text: string): string {
  // Written by ourselves, from an object.
  const { hints = {}, ...rest } = JSON.parse(text) as JsonObject;
  const isShown = Object.keys(hints as JsonObject).length > 0;
  const shown = isShown ? { ...rest, hints } : rest;
  const pretty = JSON.stringify(shown, undefined, 2);
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
