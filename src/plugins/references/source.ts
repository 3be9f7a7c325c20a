// A reference source: something worth knowing, and how to get it.
import type { JsonObject } from '../../base/json.ts';

export type Source = SourceCommon &
  (
    | { readonly type: 'local'; readonly path: string }
    | { readonly type: 'url'; readonly url: string }
    | { readonly type: 'mcp'; readonly server: string; readonly tool: string; readonly args: JsonObject }
    | { readonly type: 'inline'; readonly content: string }
  );

interface SourceCommon {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** In the instructions from the beginning, or chosen by the user. */
  readonly mode: 'auto' | 'selectable';
  readonly tags: readonly string[];
  /** How a model may get it, in the words of whoever listed it. */
  readonly fetchHint?: string;
  /** Where relative paths begin: the folder of the file that names it. */
  readonly folder: string;
}

/** How it is got, in a few words. */
export function accessOf(source: Source): string {
  switch (source.type) {
    case 'local':
      return `File: ${source.path}`;
    case 'url':
      return `URL: ${source.url}`;
    case 'mcp':
      return `MCP: ${source.server}/${source.tool}`;
    case 'inline':
      return 'Inline content';
  }
}

/** Those with one of the tags, whatever their case; all when none is named. */
export function withTags(sources: readonly Source[], tags: readonly string[]): readonly Source[] {
  if (tags.length === 0) return sources;
  const wanted = new Set(tags.map((tag) => tag.toLowerCase()));
  return sources.filter((source) => source.tags.some((tag) => wanted.has(tag.toLowerCase())));
}

/** Each once, sorted. */
export function tagsOf(sources: readonly Source[]): string[] {
  return [...new Set(sources.flatMap(({ tags }) => tags))].toSorted();
}
