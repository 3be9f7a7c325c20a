// Ajv for the schemas of plugins: the draft that a schema names, formats, and decimal multiples.
import { Ajv, type Options } from 'ajv';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { JsonObject } from '../base/json.ts';
import { isMultipleOf } from '../definition/schema/value-keywords.ts';

export type Draft = keyof typeof engines;

const engines = { 'draft-07': Ajv, '2019-09': Ajv2019, '2020-12': Ajv2020 };

/** The draft that the schema names, or the default where it names none; undefined where it names another one. */
export function draftOf(schema: boolean | JsonObject, byDefault: Draft): Draft | undefined {
  const name = typeof schema === 'object' ? schema['$schema'] : undefined;
  if (typeof name !== 'string') return byDefault;
  if (name.includes('2020-12')) return '2020-12';
  if (name.includes('2019-09')) return '2019-09';
  return /draft-0[67]/.test(name) ? 'draft-07' : undefined;
}

export function schemaEngine(draft: Draft, options: Options): Ajv {
  const engine = new engines[draft](options);
  formats.default(engine);
  // Ajv divides floating-point numbers, by which 19.99 is not a multiple of 0.01.
  engine.removeKeyword('multipleOf');
  engine.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    errors: true,
    compile: (unit: number) => {
      const check: DataValidateFunction = (value: number) => {
        if (isMultipleOf(value, unit)) return true;
        check.errors = [{ message: `must be multiple of ${unit}`, params: { multipleOf: unit } }];
        return false;
      };
      return check;
    },
  });
  return engine;
}
