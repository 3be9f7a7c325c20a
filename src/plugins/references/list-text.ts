// The answers of the tools, for people who call them as commands.
import { isJsonArray, isJsonObject, textsIn, type JsonObject } from '../../base/json.ts';
import { printable, printableLine } from '../../base/printable.ts';
import { textOf } from '../../base/shown.ts';

export function listText(data: JsonObject): string {
  const sources = isJsonArray(data['sources']) ? data['sources'].filter(isJsonObject) : [];
  const lines = sources.flatMap((source) => {
    const word = (key: string) => printableLine(textOf(source[key]));
    const tags = textsIn(source['tags']).map((tag) => printableLine(tag));
    const state =
      source['mode'] === 'auto'
        ? 'always included'
        : source['selected'] === true
          ? 'selected'
          : 'not selected';
    return [
      `${word('id')}  ${word('name')}  (${state})`,
      `    ${word('access')}${tags.length === 0 ? '' : `   Tags: ${tags.join(', ')}`}`,
    ];
  });
  return [...(lines.length === 0 ? ['No reference sources available.'] : lines), ...problemLines(data)].join(
    '\n',
  );
}

export function selectionText(data: JsonObject): string {
  const { message, sources } = data;
  return [
    printableLine(textOf(message), 500),
    ...(typeof sources === 'string' ? ['', printable(sources)] : []),
    ...problemLines(data),
  ].join('\n');
}

function problemLines({ problems }: JsonObject): string[] {
  return textsIn(problems).map((problem) => `! ${printableLine(problem, 1000)}`);
}
