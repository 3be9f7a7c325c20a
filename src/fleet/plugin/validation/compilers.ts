// One compiler of schemas per draft, shared by all plugins. Loaded when the first tool with a schema is called.
import type { Ajv, Options, ValidateFunction } from 'ajv';
import type { JsonObject } from '../../../base/json.ts';
import type { JsonSchema } from '../../../definition/tool.ts';

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

type Draft = 'draft-07' | '2019-09' | '2020-12';

export async function loadCompilers(): Promise<Compile> {
  const [{ Ajv }, { Ajv2019 }, { Ajv2020 }, formats] = await Promise.all([
    import('ajv'),
    import('ajv/dist/2019.js'),
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
  ]);
  const make = {
    'draft-07': () => new Ajv(options),
    '2019-09': () => new Ajv2019(options),
    '2020-12': () => new Ajv2020(options),
  };
  const compilers = new Map<Draft, Ajv>();
  const compilerOf = (draft: Draft) => {
    let compiler = compilers.get(draft);
    if (compiler === undefined) {
      compiler = make[draft]();
      formats.default.default(compiler);
      compilers.set(draft, compiler);
    }
    return compiler;
  };
  return (schema) => {
    const draft = draftOf(schema);
    const compiler = compilerOf(draft);
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

function draftOf(schema: JsonSchema): Draft {
  const name = typeof schema === 'object' ? schema['$schema'] : undefined;
  if (typeof name !== 'string') return 'draft-07';
  if (name.includes('2020-12')) return '2020-12';
  return name.includes('2019-09') ? '2019-09' : 'draft-07';
}

/** The compiler is chosen by now, and would look for one that it does not know. */
function withoutSchemaName(schema: JsonSchema): boolean | JsonObject {
  if (typeof schema === 'boolean' || !('$schema' in schema)) return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}
