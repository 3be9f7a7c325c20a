// What tests of declarations need: a tool around a schema, all providers with their checkers, and what was declared as JSON Schema.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../../src/base/json.ts';
import type { JsonSchema, Tool } from '../../src/definition/tool.ts';
import type { ProviderOptions } from '../../src/model/schemas/declare.ts';
import type { Provider } from '../../src/model/schemas/providers.ts';
import type { ToolsFor } from '../../src/model/schemas/tools-for.ts';
import { anthropicProblems, fromGemini, geminiProblems, openAiProblems } from './provider-checkers.ts';

export const targets: readonly (readonly [Provider, ProviderOptions, (tool: unknown) => string[]])[] = [
  ['anthropic', {}, anthropicProblems],
  ['gemini', {}, geminiProblems],
  ['openai', {}, openAiProblems],
  ['openai', { strict: true }, openAiProblems],
  ['openai', { strict: true, api: 'responses' }, openAiProblems],
];

export const tool = (inputSchema: unknown, more: Partial<Tool> = {}): Tool => ({
  name: 'tool',
  description: 'A tool.',
  // Also what is none: nobody checks the schemas of plugins before.
  inputSchema: inputSchema as JsonSchema,
  ...more,
});

/** As JSON Schema, whatever the provider. */
export function declaredSchema(
  provider: Provider,
  { tools: [declared] }: ToolsFor<Provider>,
): JsonObject | undefined {
  // The provider tells which of them it is.
  const fields = declared as unknown as Record<string, JsonObject | undefined> | undefined;
  if (fields === undefined) return undefined;
  if (provider === 'anthropic') return fields['input_schema'];
  if (provider === 'gemini')
    return fields['parameters'] === undefined
      ? { type: 'object', maxProperties: 0 }
      : (fromGemini(fields['parameters']) as JsonObject);
  const inner = fields['function'] ?? (fields as JsonObject);
  return inner['parameters'] as JsonObject;
}

export const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

// One for all, since each would compile the schema of schemas first; nothing of a schema is kept for the next.
const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, addUsedSchema: false });

/** Undefined where ajv itself does not survive it, such as a loop of references. */
export function compiled(schema: JsonObject): (value: unknown) => boolean | undefined {
  try {
    const check = ajv.compile(schema);
    ajv.removeSchema(schema);
    return (value) => {
      try {
        return check(value);
      } catch {
        return undefined;
      }
    };
  } catch {
    return () => undefined;
  }
}
