// One compiler of schemas per draft, shared by all plugins. Loaded when the first tool with a schema is called.
import type { Ajv, Options, ValidateFunction } from 'ajv';
import type { JsonObject } from '../../../base/json.ts';
import { validator } from '../../../definition/schema/validator.ts';
import type { JsonSchema } from '../../../definition/tool.ts';
import type { Draft } from '../../../dialect/schema-engine.ts';

export type Validator = ValidateFunction;

/** @throws Error when the schema cannot be compiled */
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
  // Ajv compiles the schema of schemas first, which takes as long as a process to start; the small validator does not. It does not
  // know all keywords of the later ones.
  const engineOf = (draft: Draft) =>
    schemaEngine(draft, { ...options, validateSchema: draft !== 'draft-07' });
  let check: ReturnType<typeof validator> | undefined;
  const checkSchema = ({ schemas }: Ajv, schema: boolean | JsonObject) => {
    const meta = schemas[DRAFT_07]?.schema;
    if (check === undefined && typeof meta === 'object') check = validator(meta);
    const checked = check?.(schema);
    if (checked !== undefined && 'problems' in checked)
      throw new Error(`schema is invalid: ${checked.problems.join('; ')}`);
  };
  return (schema) => {
    const draft = draftOf(schema, 'draft-07') ?? 'draft-07';
    const compiler = compilers.get(draft) ?? engineOf(draft);
    const known = withoutSchemaName(schema);
    if (draft === 'draft-07') checkSchema(compiler, known);
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

/** The key under which ajv keeps it. */
const DRAFT_07 = 'http://json-schema.org/draft-07/schema';

/** The compiler is chosen by now, and would look for one that it does not know. */
function withoutSchemaName(schema: JsonSchema): boolean | JsonObject {
  if (typeof schema === 'boolean' || !('$schema' in schema)) return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}
