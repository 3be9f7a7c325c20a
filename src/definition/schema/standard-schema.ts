// The part of Standard Schema V1 (and its JSON Schema companion) that is used here: what zod, valibot, arktype and others implement.

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?:
      | {
          readonly input: (options: JsonSchemaOptions) => Record<string, unknown>;
          readonly output: (options: JsonSchemaOptions) => Record<string, unknown>;
        }
      | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

interface JsonSchemaOptions {
  readonly target: 'draft-07' | 'draft-2020-12';
}

/** Some are functions with properties. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && '~standard' in value && typeof value['~standard'] === 'object';
}
