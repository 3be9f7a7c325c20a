// One compiler of schemas per draft, shared by all plugins. Loaded when the first tool with a schema is called.
import type { Ajv, Options, ValidateFunction } from 'ajv';
import type { JsonObject } from '../../../base/json.ts';
import type { JsonSchema } from '../../../definition/tool.ts';
import type { Draft } from '../../../dialect/schema-engine.ts';

export type Validator = ValidateFunction;

/** @throws Error when there is no sense in the schema */
export type Compile = (schema: JsonSchema) => Validator;

const options: Options = {
  // Real schemas are full of words that no draft knows.
  strict: false,
  allErrors: true,
  useDefaults: true,
  ownProperties: true,
  logger: false,
  // A schema of one plugin must not be found from that of another, nor stand in its way.
  addUsedSchema: false,
  // A reference copied into each of its places would make some schemas exponential.
  inlineRefs: false,
};

export async function loadCompilers(): Promise<Compile> {
  const { draftOf, schemaEngine } = await import('../../../dialect/schema-engine.ts');
  const compilers = new Map<Draft, Ajv>();
  return (schema) => {
    const draft = draftOf(schema, 'draft-07') ?? 'draft-07';
    const compiler = compilers.get(draft) ?? schemaEngine(draft, options);
    const known = withoutSchemaName(schema);
    // One that is interrupted is left in the middle of something: it is not used again.
    compilers.delete(draft);
    try {
      return compiler.compile(known);
    } finally {
      // It keeps what it has compiled, which would grow with every restart of a plugin.
      compiler.removeSchema(known);
      compilers.set(draft, compiler);
    }
  };
}

/** The compiler is chosen by now, and would look for one that it does not know. */
function withoutSchemaName(schema: JsonSchema): boolean | JsonObject {
  if (typeof schema === 'boolean' || !('$schema' in schema)) return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}
