// What a host is told of the configuration that holds: all but secrets.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { SetupResult } from '../backend.ts';
import type { AnyConfig } from '../definition.ts';
import { isSecret } from '../schema/is-secret.ts';
import { plainJson } from './plain-json.ts';

/** Left out is what the schema marks as secret, wherever it stands in objects. */
export function appliedConfig(config: AnyConfig, schema: JsonObject): SetupResult {
  const plain = plainJson(config, 'config');
  if (!('json' in plain) || !isJsonObject(plain.json)) return {};
  return { configApplied: withoutSecrets(plain.json, schema) };
}

function withoutSecrets(value: JsonObject, schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const told = Object.entries(value).flatMap(([name, inner]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isSecret(property)) return [];
    if (!isJsonObject(property)) return [[name, inner] as const];
    return [[name, isJsonObject(inner) ? withoutSecrets(inner, property) : inner] as const];
  });
  return Object.fromEntries(told);
}
