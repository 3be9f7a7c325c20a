// What a value begins as where nothing is said of it.
import type { Json } from '../../../../base/json.ts';
import type { Field } from './field.ts';

export function emptyOf(field: Field): Json {
  if (field.isNullable) return null;
  switch (field.kind) {
    case 'text':
      return '';
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'list':
      return [];
    case 'choice':
      return field.options[0] ?? null;
    case 'object':
    case 'map':
    case 'variants':
      return {};
    case 'json':
      return null;
  }
}
