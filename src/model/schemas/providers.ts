// The limits of providers that have nothing to do with schemas, each with where it was found.
import { toolNameRule, type NameRule } from '../../base/safe-name.ts';

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

/** None is documented; as one text, so much is no declaration that a model reads. */
export const DECLARATION_MAX = 256 * 1024;

export const providers: Readonly<Record<Provider, ProviderRules>> = {
  // Name: https://docs.claude.com/en/docs/agents-and-tools/tool-use/define-tools takes 128; a tool has one name everywhere. Keys of properties: told by the API alone,
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
  // Name: https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools. Description and number: told by the API,
  // "string too long. Expected a string with maximum length 1024", "array too long. Expected an array with maximum length 128"
  // (getsentry/sentry-mcp#106, zed-industries/zed#32946).
  openai: {
    title: 'OpenAI',
    toolName: toolNameRule,
    toolsMax: 128,
    descriptionMax: 1024,
  },
};
