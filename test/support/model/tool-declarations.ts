// What tests of declarations need: a tool around a schema, all providers with their checkers, and what was declared as JSON Schema.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../../../src/base/json.ts';
import type { JsonSchema, Tool } from '../../../src/definition/tool.ts';
import type { Provider, ProviderOptions } from '../../../src/model/schemas/declare.ts';
import type { ToolsFor } from '../../../src/model/schemas/tools-for.ts';

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
  // Also what is not a schema: those of plugins are not checked before.
  inputSchema: inputSchema as JsonSchema,
  ...more,
});

/** As JSON Schema, whatever the provider. */
export function declaredSchema(
  provider: Provider,
  { tools: [declared] }: ToolsFor<Provider>,
): JsonObject | undefined {
  // The provider decides which of them it is.
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

// The rules of providers for tools, once more and on their own: whatever is declared has to pass these.

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const metaSchema = new Ajv2020({ strict: false, validateFormats: false, logger: false });

/** What is wrong with it, in words; none where it is fine. */
function anthropicProblems(tool: unknown): string[] {
  const problems: string[] = [];
  if (!isFields(tool)) return ['no object'];
  const { name, description, input_schema: schema, ...rest } = tool;
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(name))) problems.push(`name ${String(name)}`);
  if (description !== undefined && typeof description !== 'string') problems.push('description');
  if (Object.keys(rest).length > 0) problems.push(`unknown ${Object.keys(rest).join()}`);
  if (!isFields(schema) || schema['type'] !== 'object') return [...problems, 'root is no object'];
  for (const key of ['oneOf', 'anyOf', 'allOf'])
    if (Object.hasOwn(schema, key)) problems.push(`${key} at the top`);
  if (metaSchema.validateSchema(schema) !== true)
    problems.push(`no 2020-12 schema: ${metaSchema.errorsText(metaSchema.errors)}`);
  walk(schema, (part) => {
    if (Object.hasOwn(part, '$ref')) problems.push('$ref');
    for (const key of Object.keys(isFields(part['properties']) ? part['properties'] : {}))
      if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(key)) problems.push(`property ${key}`);
  });
  return problems;
}

function openAiProblems(tool: unknown): string[] {
  if (!isFields(tool) || tool['type'] !== 'function') return ['no function'];
  const problems: string[] = [];
  const declared = isFields(tool['function']) ? tool['function'] : tool;
  const { name, description, parameters, strict } = declared;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) problems.push(`name ${String(name)}`);
  if (description !== undefined && (typeof description !== 'string' || description.length > 1024))
    problems.push('description');
  if (!isFields(parameters) || parameters['type'] !== 'object') return [...problems, 'root is no object'];
  for (const key of ['oneOf', 'anyOf', 'allOf', 'enum', 'not', 'const'])
    if (Object.hasOwn(parameters, key)) problems.push(`${key} at the top`);
  if (metaSchema.validateSchema(parameters) !== true)
    problems.push(`no schema: ${metaSchema.errorsText(metaSchema.errors)}`);
  if (strict === true) return [...problems, ...strictProblems(parameters)];
  if (strict !== false) problems.push('strict is not said');
  walk(parameters, (part) => {
    const types = [part['type']].flat();
    if (types.includes('array') && !isFields(part['items'])) problems.push('array without items');
    if (types.includes('object') && !isFields(part['properties'])) problems.push('object without properties');
  });
  return problems;
}

const strictKeys = new Set(
  'type properties required additionalProperties items anyOf enum description pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems'.split(
    ' ',
  ),
);

function strictProblems(root: Fields): string[] {
  const problems: string[] = [];
  let properties = 0;
  let values = 0;
  const check = (part: unknown, depth: number): void => {
    if (!isFields(part)) return void problems.push('a schema that is no object');
    for (const key of Object.keys(part)) if (!strictKeys.has(key)) problems.push(`keyword ${key}`);
    if (part['type'] === undefined && part['anyOf'] === undefined) problems.push('neither type nor anyOf');
    const types = [part['type']].flat();
    const isContainer = types.includes('object') || types.includes('array');
    const inner = depth + (isContainer ? 1 : 0);
    if (inner > 5) problems.push('too deep');
    if (types.includes('object')) {
      const all = isFields(part['properties']) ? Object.keys(part['properties']) : undefined;
      if (part['additionalProperties'] !== false) problems.push('open object');
      if (JSON.stringify(all) !== JSON.stringify(part['required'])) problems.push('not all are required');
      properties += all?.length ?? 0;
      for (const one of Object.values(isFields(part['properties']) ? part['properties'] : {}))
        check(one, inner);
    }
    if (types.includes('array')) check(part['items'], inner);
    if (Array.isArray(part['anyOf'])) for (const one of part['anyOf']) check(one, depth);
    if (Array.isArray(part['enum'])) values += part['enum'].length;
  };
  check(root, 0);
  if (properties > 100) problems.push('too many properties');
  // An optional enum got null on top.
  if (values > 600) problems.push('too many values');
  return problems;
}

const geminiKeys: Readonly<Record<string, readonly string[]>> = {
  STRING: ['format', 'enum', 'pattern', 'minLength', 'maxLength'],
  NUMBER: ['format', 'minimum', 'maximum'],
  INTEGER: ['format', 'minimum', 'maximum'],
  BOOLEAN: [],
  ARRAY: ['items', 'minItems', 'maxItems'],
  OBJECT: ['properties', 'required', 'minProperties', 'maxProperties'],
};
const geminiFormats: Readonly<Record<string, readonly string[]>> = {
  STRING: ['date-time'],
  NUMBER: ['float', 'double'],
  INTEGER: ['int32', 'int64'],
};

function geminiProblems(tool: unknown): string[] {
  if (!isFields(tool)) return ['no object'];
  const problems: string[] = [];
  const { name, description, parameters, ...rest } = tool;
  if (!/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/.test(String(name))) problems.push(`name ${String(name)}`);
  if (typeof description !== 'string' || description === '') problems.push('description');
  if (Object.keys(rest).length > 0) problems.push(`unknown ${Object.keys(rest).join()}`);
  if (parameters === undefined) return problems;
  if (!isFields(parameters) || parameters['type'] !== 'OBJECT') return [...problems, 'root is no object'];
  let items = 0;
  const check = (part: unknown): void => {
    if (!isFields(part)) return void problems.push('a schema that is no object');
    if (Array.isArray(part['anyOf'])) {
      if (Object.keys(part).length > 1) problems.push('something beside anyOf');
      if (part['anyOf'].length < 2) problems.push('a choice of one');
      for (const one of part['anyOf']) check(one);
      return;
    }
    const type = String(part['type']);
    const known = geminiKeys[type];
    if (known === undefined) return void problems.push(`type ${type}`);
    for (const [key, value] of Object.entries(part)) {
      if (![...known, 'type', 'nullable', 'description'].includes(key)) problems.push(`${key} of ${type}`);
      if (/^(min|max)(Items|Length|Properties)$/.test(key) && !/^\d+$/.test(String(value)))
        problems.push(key);
    }
    if (part['format'] !== undefined && !geminiFormats[type]?.some((one) => one === part['format']))
      problems.push(`format of ${type}`);
    if (part['enum'] !== undefined) {
      const isFine = Array.isArray(part['enum']) && part['enum'].length > 0;
      if (!isFine || !(part['enum'] as unknown[]).every((one) => typeof one === 'string' && one !== ''))
        problems.push('enum');
    }
    if (part['maxItems'] !== undefined) items += Number(part['maxItems']);
    if (type === 'ARRAY') check(part['items']);
    if (type !== 'OBJECT') return;
    const properties = isFields(part['properties']) ? part['properties'] : {};
    if (Object.keys(properties).length === 0) problems.push('object without properties');
    for (const [key, value] of Object.entries(properties)) {
      if (!/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(key)) problems.push(`property ${key}`);
      check(value);
    }
    for (const key of Array.isArray(part['required']) ? part['required'] : [])
      if (!Object.hasOwn(properties, String(key))) problems.push(`required ${String(key)} is not there`);
  };
  check(parameters);
  if (items > 960) problems.push('maxItems add up');
  return problems;
}

/** A schema of Gemini as JSON Schema says the same. */
function fromGemini(part: unknown): Fields | boolean {
  if (!isFields(part)) return true;
  if (Array.isArray(part['anyOf'])) return { anyOf: part['anyOf'].map(fromGemini) };
  const { type, nullable, properties, items, enum: values, ...rest } = part;
  const numbers = Object.entries(rest).map(([key, value]) => [
    key,
    /^(min|max)(Items|Length|Properties)$/.test(key) ? Number(value) : value,
  ]);
  const lower = String(type).toLowerCase();
  return {
    ...(Object.fromEntries(numbers) as Fields),
    type: nullable === true ? [lower, 'null'] : lower,
    ...(Array.isArray(values) && { enum: nullable === true ? [...(values as unknown[]), null] : values }),
    ...(items !== undefined && { items: fromGemini(items) }),
    ...(isFields(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, fromGemini(value)]),
      ),
    }),
  };
}

function walk(part: unknown, visit: (part: Fields) => void): void {
  if (!isFields(part)) return;
  visit(part);
  for (const key of [
    'items',
    'contains',
    'not',
    'if',
    'then',
    'else',
    'additionalProperties',
    'propertyNames',
  ])
    walk(part[key], visit);
  for (const key of ['properties', 'patternProperties', 'dependentSchemas'])
    for (const one of Object.values(isFields(part[key]) ? part[key] : {})) walk(one, visit);
  for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems'])
    for (const one of Array.isArray(part[key]) ? (part[key] as unknown[]) : []) walk(one, visit);
}
