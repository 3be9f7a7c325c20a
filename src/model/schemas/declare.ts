// One tool in the form of one provider.
import type { JsonObject } from '../../base/json.ts';
import { type NameRule, safeName, toolNameRule } from '../../base/names.ts';
import type { Tool } from '../../definition/tool.ts';
import { Conversion, type Converted } from './conversion.ts';
import { geminiForm } from './gemini-form.ts';
import { jsonSchemaForm } from './json-schema-form.ts';
import { readSchema } from './read-schema.ts';
import { inside, type Notes, ROOT, type Site, Unrepairable } from './repair.ts';
import type { Restore } from './restore.ts';
import { type RootObject, rootObject } from './merge.ts';
import { NotStrict, strictForm } from './strict-form.ts';

export interface ProviderOptions {
  /** Which of OpenAI's APIs it is for. @default 'chat' */
  readonly api?: 'chat' | 'responses';
  /**
   * Declares tools to OpenAI as strict where possible; a tool that cannot be strict is declared without, with a note.
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
  /** Absent where a tool takes no arguments. */
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
    const text = description('gemini', tool, notes).description;
    // Gemini requires a description.
    return {
      tool: { name, description: text ?? tool.name, ...(form !== undefined && { parameters: form.json }) },
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

/** A tool without a schema takes any object. */
function rootOf(tool: Tool, notes: Notes): RootObject {
  return rootObject(readSchema(tool.inputSchema ?? true, notes, SCHEMA), notes, SCHEMA);
}

function strictOr(root: RootObject, notes: Notes): Converted | undefined {
  // The notes only count when it succeeds.
  const strictNotes = notes.branch();
  try {
    const converted = strictForm(root, new Conversion('OpenAI', strictNotes), SCHEMA);
    notes.take(strictNotes);
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
  const text = tool.description || tool.title;
  if (text === undefined || text === '') return {};
  const { descriptionMax, title } = providers[provider];
  if (text.length <= descriptionMax) return { description: text };
  notes.add(
    inside(ROOT, 'description'),
    `cut from ${text.length} characters`,
    `${title} takes ${descriptionMax}`,
    'none',
  );
  return { description: `${text.slice(0, descriptionMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…` };
}

export type Provider = 'anthropic' | 'gemini' | 'openai';

export interface ProviderRules {
  readonly title: string;
  readonly toolName: NameRule;
  /** Undefined: any. */
  readonly propertyName?: NameRule;
  readonly toolsMax: number;
  /** Of the tool. */
  readonly descriptionMax: number;
}

/** No limit is documented; a model does not read larger declarations. */
const DECLARATION_MAX = 256 * 1024;

export const providers: Readonly<Record<Provider, ProviderRules>> = {
  // Name: https://docs.claude.com/en/docs/agents-and-tools/tool-use/define-tools takes 128; a tool has one name everywhere. Keys of properties: only from errors of the API,
  // "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'" (anthropics/claude-code#79418).
  anthropic: {
    title: 'Anthropic',
    toolName: toolNameRule,
    propertyName: { pattern: /^[a-zA-Z0-9_.-]{1,64}$/, maxLength: 64, others: /[^a-zA-Z0-9_.-]/g },
    toolsMax: Infinity,
    descriptionMax: 50_000,
  },
  // Name: https://ai.google.dev/api/caching#FunctionDeclaration allows colons, dots and dashes; Vertex allows no colon and wants a letter or
  // an underscore first: what both take, without dots. Parameters: FunctionDeclaration of Vertex. Number: "At most 512 function declarations"
  // (google-gemini/gemini-cli#19083).
  gemini: {
    title: 'Gemini',
    toolName: { ...toolNameRule, pattern: /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, start: /^[A-Za-z_]/ },
    propertyName: {
      pattern: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
      maxLength: 64,
      others: /[^a-zA-Z0-9_]/g,
      start: /^[a-zA-Z_]/,
    },
    toolsMax: 512,
    descriptionMax: 50_000,
  },
  // Name: https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools. Description and number: from errors of the API,
  // "string too long. Expected a string with maximum length 1024", "array too long. Expected an array with maximum length 128"
  // (getsentry/sentry-mcp#106, zed-industries/zed#32946).
  openai: {
    title: 'OpenAI',
    toolName: toolNameRule,
    toolsMax: 128,
    descriptionMax: 1024,
  },
};
