// How a plugin differs from what it was before its files changed, in the eyes of whoever calls it.
import { isDeepStrictEqual } from 'node:util';
import { lineDiff } from '../../../base/line-diff.ts';
import type { Manifest } from '../../../definition/manifest.ts';
import type { Tool } from '../../../definition/tool.ts';

export interface ManifestDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly ToolChange[];
  /** Of the plugin as a whole, such as `version`. */
  readonly facts: readonly { readonly what: string; readonly before: string; readonly after: string }[];
}

interface ToolChange {
  readonly tool: string;
  /** Lines that begin with a space, `-`, `+` or `@@`. */
  readonly diff: string;
}

/** Undefined when nothing is different. */
export function manifestDiff(before: Manifest, after: Manifest): ManifestDiff | undefined {
  const [old, young] = [byName(before.tools), byName(after.tools)];
  const diff: ManifestDiff = {
    added: [...young.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !young.has(name)),
    changed: [...young].flatMap(([name, tool]) => {
      const was = old.get(name);
      return was === undefined || isDeepStrictEqual(was, tool)
        ? []
        : [{ tool: name, diff: lineDiff(textOf(was), textOf(tool), { context: 1, maxLines: DIFF_LINES }) }];
    }),
    facts: facts.flatMap((what) => {
      const [one, other] = [before[what] ?? '', after[what] ?? ''];
      return one === other ? [] : [{ what, before: one, after: other }];
    }),
  };
  const { added, removed, changed, facts: told } = diff;
  return added.length + removed.length + changed.length + told.length > 0 ? diff : undefined;
}

const facts = ['name', 'version', 'dialect', 'description', 'instructions'] as const;
const DIFF_LINES = 30;

function byName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function textOf(tool: Tool): string {
  const { name: _, ...rest } = tool;
  return JSON.stringify(rest, undefined, 2);
}
