// One tool in the form of one provider.
import { safeName } from '../../base/safe-name.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Tool } from '../../definition/tool.ts';
import { Conversion, type Converted } from './conversion.ts';
import { geminiForm } from './gemini-form.ts';
import { jsonSchemaForm } from './json-schema-form.ts';
import { DECLARATION_MAX, type Provider, providers } from './providers.ts';
import { readSchema } from './read-schema.ts';
import { inside, type Notes, ROOT, type Site, Unrepairable } from './repair.ts';
import type { Restore } from './restore.ts';
import { rootObject, type RootObject } from './root-object.ts';
import { NotStrict, strictForm } from './strict-form.ts';

export interface ProviderOptions {
  /** Which of OpenAI's APIs it is for. @default 'chat' */
  readonly api?: 'chat' | 'responses';
  /**
   * Declares to OpenAI as strict what can be; a tool that cannot is declared without, and that is told.
   * @default false
   */
  readonly strict?: boolean;
}

export interface AnthropicTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: JsonObject;
}

/** An element of `functionDeclarations`. */
export interface GeminiFunction {
  readonly name: string;
  readonly description: string;
  /** Left out where a tool takes nothing. */
  readonly parameters?: JsonObject;
}

export interface OpenAiFunction {
  readonly name: string;
  readonly description?: string;
  readonly parameters: JsonObject;
  readonly strict: boolean;
}

export type OpenAiTool =
  | { readonly type: 'function'; readonly function: OpenAiFunction }
  | ({ readonly type: 'function' } & OpenAiFunction);

export type ProviderTool<Kind extends Provider = Provider> = {
  readonly anthropic: AnthropicTool;
  readonly gemini: GeminiFunction;
  readonly openai: OpenAiTool;
}[Kind];

export interface Declared<Kind extends Provider> {
  readonly tool: ProviderTool<Kind>;
  readonly restore: Restore | undefined;
}

/** @throws Unrepairable */
export function declare<Kind extends Provider>(
  provider: Kind,
  tool: Tool,
  name: string,
  options: ProviderOptions,
  notes: Notes,
): Declared<Kind> {
  const declared = declarations[provider](tool, name, options, notes);
  if (JSON.stringify(declared.tool).length > DECLARATION_MAX)
    throw new Unrepairable(`its declaration has more than ${DECLARATION_MAX} characters`);
  return declared;
}

type Declare<Kind extends Provider> = (
  tool: Tool,
  name: string,
  options: ProviderOptions,
  notes: Notes,
) => Declared<Kind>;

const declarations: { readonly [Kind in Provider]: Declare<Kind> } = {
  anthropic(tool, name, _, notes) {
    const rule = providers.anthropic.propertyName;
    const propertyName = (one: string) => (rule === undefined ? one : safeName(one, rule));
    const { json, restore } = jsonSchemaForm(
      rootOf(tool, notes),
      { propertyName, fillsGaps: false },
      new Conversion('Anthropic', notes),
      SCHEMA,
    );
    return { tool: { name, ...description('anthropic', tool, notes), input_schema: json }, restore };
  },

  gemini(tool, name, _, notes) {
    const rule = providers.gemini.propertyName;
    const propertyName = (one: string) => (rule === undefined ? one : safeName(one, rule));
    const form = geminiForm(rootOf(tool, notes), propertyName, new Conversion('Gemini', notes), SCHEMA);
    const words = description('gemini', tool, notes).description;
    // Gemini wants words.
    return {
      tool: { name, description: words ?? tool.name, ...(form !== undefined && { parameters: form.json }) },
      restore: form?.restore,
    };
  },

  openai(tool, name, { api = 'chat', strict = false }, notes) {
    const root = rootOf(tool, notes);
    const form = strict ? strictOr(root, notes) : undefined;
    const { json, restore } = form ?? plainOpenAi(root, notes);
    const declared = {
      name,
      ...description('openai', tool, notes),
      parameters: json,
      // The Responses API takes a tool as strict where this is left out.
      strict: form !== undefined,
    };
    return {
      tool: api === 'chat' ? { type: 'function', function: declared } : { type: 'function', ...declared },
      restore,
    };
  },
};

const SCHEMA: Site = inside(ROOT, 'inputSchema');

/** Where nothing is known of the arguments, any object is taken. */
function rootOf(tool: Tool, notes: Notes): RootObject {
  return rootObject(readSchema(tool.inputSchema ?? true, notes, SCHEMA), notes, SCHEMA);
}

function strictOr(root: RootObject, notes: Notes): Converted | undefined {
  // What is noted on the way counts only when it succeeds.
  const attempt = notes.branch();
  try {
    const converted = strictForm(root, new Conversion('OpenAI', attempt), SCHEMA);
    notes.take(attempt);
    return converted;
  } catch (thrown) {
    if (!(thrown instanceof NotStrict)) throw thrown;
    notes.add(SCHEMA, 'declared without strict', thrown.message, 'none');
    return undefined;
  }
}

/** "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level": langchain-ai/langchainjs#9804. */
function plainOpenAi(root: RootObject, notes: Notes): Converted {
  const conversion = new Conversion('OpenAI', notes);
  conversion.drop(root, ['enum', 'not'], SCHEMA, 'OpenAI does not take it at the top');
  const { enum: _enum, isConst: _isConst, not: _not, ...rest } = root;
  return jsonSchemaForm(rest, { propertyName: (one) => one, fillsGaps: true }, conversion, SCHEMA);
}

function description(provider: Provider, tool: Tool, notes: Notes): { readonly description?: string } {
  const words = tool.description || tool.title;
  if (words === undefined || words === '') return {};
  const { descriptionMax, title } = providers[provider];
  if (words.length <= descriptionMax) return { description: words };
  notes.add(
    inside(ROOT, 'description'),
    `cut from ${words.length} characters`,
    `${title} takes ${descriptionMax}`,
    'none',
  );
  return { description: `${words.slice(0, descriptionMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…` };
}
