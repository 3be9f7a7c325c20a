// What one of several forms is called: in the words of the schema, else by what tells it apart from the others.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../../base/json.ts';
import { textOf } from './field-words.ts';

const TITLE_MAX = 60;

export function variantTitle(variant: Json, type: string | undefined, index: number): string {
  const unnamed = `Form ${index + 1}`;
  if (!isJsonObject(variant)) return unnamed;
  const title = textOf(variant['title']).trim();
  if (title !== '') return short(title);
  const description = textOf(variant['description']).trim();
  const own = constantOf(variant);
  // Of a value that is the same each time, the value is the shorter word for it.
  if (own !== undefined) return short(shown(own));
  if (description !== '' && description.length <= TITLE_MAX) return description;
  const [told] = discriminators(variant);
  if (told !== undefined) return short(shown(told));
  if (description !== '') return short(description);
  return type === undefined ? unnamed : typeWord(type);
}

/** What tells the forms of an object apart is often one constant. */
function discriminators({ properties }: JsonObject): Json[] {
  if (!isJsonObject(properties)) return [];
  return Object.values(properties)
    .slice(0, 20)
    .flatMap((property) => {
      const constant = isJsonObject(property) ? constantOf(property) : undefined;
      return constant === undefined ? [] : [constant];
    });
}

function constantOf(schema: JsonObject): Json | undefined {
  const { const: constant, enum: options } = schema;
  return constant ?? (isJsonArray(options) && options.length === 1 ? options[0] : undefined);
}

function shown(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

function short(text: string): string {
  return text.length > TITLE_MAX ? `${text.slice(0, TITLE_MAX - 1)}…` : text;
}

function typeWord(type: string): string {
  const words: Readonly<Record<string, string>> = { string: 'text', integer: 'whole number', array: 'list' };
  return Object.hasOwn(words, type) ? (words[type] ?? type) : type;
}
