// What models are told from the beginning: automatic sources in full, the tags of those that can be chosen.
import { printableLine } from '../../base/printable.ts';
import { tagsOf, type Source } from './source.ts';
import { sourcesText, type FoundSource } from './source-text.ts';

const TAGS_SHOWN = 100;

/** Undefined when there is nothing to tell. */
export function instructionsText(
  automatic: readonly FoundSource[],
  selectable: readonly Source[],
  maxChars: number,
): string | undefined {
  const parts = [
    ...(automatic.length === 0 ? [] : [known, sourcesText(automatic, maxChars)]),
    ...(selectable.length === 0 ? [] : [offered(selectable)]),
  ];
  return parts.length === 0 ? undefined : ['# Reference Sources', ...parts].join('\n\n');
}

const known =
  'These sources belong to your work here: take them into account. Where a content is not included, get it as described when you need it.';

function offered(sources: readonly Source[]): string {
  const tags = tagsOf(sources).map((tag) => printableLine(tag));
  const shown = tags.slice(0, TAGS_SHOWN).join(', ') + (tags.length > TAGS_SHOWN ? ' …' : '');
  const count = sources.length === 1 ? 'One further source' : `${sources.length} further sources`;
  return [
    `${count} can be chosen by the user. listReferences tells which they are, and whether they are selected.`,
    'When your work touches one of their tags, call selectReferences with filter_tags, and say in context what for.',
    ...(shown === '' ? [] : [`Tags: ${shown}`]),
  ].join('\n');
}
