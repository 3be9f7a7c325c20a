// Where there are too many tools to list, two stand for all: one that finds them and one that calls what was found.
import type { JsonObject } from '../../base/json.ts';
import { listed, type OfferedTool } from './view.ts';

export const SEARCH = 'search_tools';
export const CALL = 'call_tool';

const FOUND_USUALLY = 10;
const FOUND_MAX = 50;
const QUERY_MAX = 1000;

export function searchTools(count: number): readonly JsonObject[] {
  return [
    {
      name: SEARCH,
      title: 'Search tools',
      description: `Finds tools among ${count}, by words of what they do. Gives their names, descriptions and input schemas; call one with ${CALL}.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What the tool should do, or its name.' },
          limit: { type: 'integer', minimum: 1, maximum: FOUND_MAX, description: 'How many at most.' },
        },
        required: ['query'],
      },
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    {
      name: CALL,
      title: 'Call a tool',
      description: `Calls a tool that ${SEARCH} has found, with arguments that fit its input schema.`,
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: `As ${SEARCH} gave it.` },
          arguments: { type: 'object', description: 'The arguments of the tool.' },
        },
        required: ['name'],
      },
    },
  ];
}

/** The result of the tool that finds them: the best first. */
export function searchResult(tools: readonly OfferedTool[], args: JsonObject): JsonObject {
  const { query, limit } = args;
  const text = typeof query === 'string' ? query.slice(0, QUERY_MAX) : '';
  const most =
    typeof limit === 'number' && limit >= 1 ? Math.min(Math.floor(limit), FOUND_MAX) : FOUND_USUALLY;
  const found = search(tools, text)
    .slice(0, most)
    .map((tool) => listed(tool));
  const structuredContent = { tools: found, of: tools.length };
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

export function search(tools: readonly OfferedTool[], query: string): readonly OfferedTool[] {
  const words = wordsOf(query);
  if (words.length === 0) return tools;
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words, query.trim().toLowerCase()) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ tool }) => tool);
}

/** Where a word is found says how much it means. */
function scoreOf({ name, plugin, tool }: OfferedTool, words: readonly string[], whole: string): number {
  const { title = '', description = '', tags = [], inputSchema } = tool;
  const places: readonly (readonly [text: string, weight: number])[] = [
    [name, 8],
    [title, 6],
    [plugin, 4],
    [tags.join(' '), 4],
    [description.slice(0, TEXT_MAX), 2],
    [namesIn(inputSchema), 1],
  ].map(([text, weight]) => [String(text).toLowerCase(), Number(weight)] as const);
  let score = name.toLowerCase() === whole ? 100 : 0;
  for (const word of words)
    for (const [text, weight] of places)
      if (text.includes(word)) score += hasWord(text, word) ? 2 * weight : weight;
  return score;
}

/** A description may be of any length. */
const TEXT_MAX = 4000;
const WORDS_MAX = 20;

function wordsOf(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])].slice(0, WORDS_MAX);
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (!isLetter(text[at - 1]) && !isLetter(text[at + word.length])) return true;
  return false;
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

function namesIn(schema: OfferedTool['tool']['inputSchema']): string {
  const properties = typeof schema === 'object' ? schema['properties'] : undefined;
  return typeof properties === 'object' && properties !== null
    ? Object.keys(properties).slice(0, 100).join(' ')
    : '';
}
