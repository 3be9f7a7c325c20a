// What a plugin says of a call before it happens, for whoever is asked whether it may.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { late, within } from '../../base/within.ts';
import { sentence } from '../../base/sentence.ts';
import type { Backend } from '../backend.ts';
import type { Definition, ToolDefinition } from '../definition.ts';
import { failureOf } from '../failure.ts';
import type { CallDescription } from '../outcome.ts';
import { plainJson } from './plain-json.ts';
import type { Surroundings } from './surroundings.ts';

/** Somebody waits for it before the question is even shown. */
const DESCRIBE_MS = 2000;

/** In characters: nobody reads more before an answer. */
const longest = { summary: 1000, details: 64 * 1024, diff: 256 * 1024 } as const;

/** A description that fails is none: the arguments themselves can always be shown. */
export function describeCall(
  { name: plugin, tools }: Pick<Definition, 'name' | 'tools'>,
  { clock, log }: Pick<Surroundings, 'clock' | 'log'>,
): NonNullable<Backend['describe']> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return async (name, args) => {
    const tool = byName.get(name);
    if (tool?.describe === undefined) return undefined;
    const missed = (why: string) =>
      log({
        level: 'warn',
        message: `What tool "${name}" of plugin "${plugin}" says of a call was left out: ${sentence(why)}`,
      });
    try {
      const told: unknown = await within(toldOf(tool, args), DESCRIBE_MS, clock);
      if (told !== late) return descriptionOf(told);
      missed(`it took longer than ${DESCRIBE_MS} ms`);
    } catch (thrown) {
      missed(failureOf(thrown).message);
    }
    return undefined;
  };
}

/** With a copy of the arguments: they are not changed by whoever looks at them. */
async function toldOf({ input, describe }: ToolDefinition, args: JsonObject): Promise<unknown> {
  const plain = plainJson(args, 'they');
  const checked = 'json' in plain ? await input.check(plain.json) : { problems: [] };
  // What comes of a check is what it was typed for. Arguments that do not fit are refused elsewhere, in words.
  return 'value' in checked ? describe?.(checked.value as JsonObject) : undefined;
}

function descriptionOf(told: unknown): CallDescription | undefined {
  if (!isJsonObject(told)) return undefined;
  const texts = Object.entries(longest).flatMap(([key, most]) => {
    const text = told[key];
    return typeof text === 'string' && text !== '' ? [[key, cut(text, most)] as const] : [];
  });
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} characters more)`;
}
