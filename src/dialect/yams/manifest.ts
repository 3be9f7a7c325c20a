// What a YAMS plugin says of itself, from the handshake and from yams-plugin.json, in neutral form.
import path from 'node:path';
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../../base/json.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { interfaces as known } from './schema.ts';
import { toolsOf } from './tools.ts';
import { fromWireName } from './wire-name.ts';

/** What is on disk wins over what is told, field by field, as in the real host. */
export function readManifest(told: JsonObject, spec: PluginSpec, configApplied?: Json): Manifest {
  const onDisk = spec.manifest ?? {};
  const all = { ...told, ...onDisk };
  const capabilities = merged(told['capabilities'], onDisk['capabilities']);
  const interfaces = interfacesOf(all['interfaces'], capabilities);
  const has = (interfaceId: string) => interfaces.some(({ id }) => id === interfaceId);
  const isExtractor = has(known.extractor);
  const name = text(all['name']);
  return {
    name: (has(known.tools) && name !== undefined ? fromWireName(name) : name) ?? path.parse(spec.name).name,
    version: versionIn(all) ?? '0.0.0',
    ...optional('description', text(all['description'])),
    ...optional('author', text(all['author'])),
    dialect: 'yams',
    ...optional('capabilities', capabilities),
    interfaces,
    tools: toolsOf(capabilities, spec.methods ?? [], isExtractor),
    ...optional('extractor', isExtractor ? fileTypesOf(capabilities) : undefined),
    ...optional('configApplied', configApplied),
    raw: told,
  };
}

function merged(told: Json | undefined, onDisk: Json | undefined): Json | undefined {
  return isJsonObject(told) && isJsonObject(onDisk) ? { ...told, ...onDisk } : (onDisk ?? told);
}

function interfacesOf(
  declared: Json | undefined,
  capabilities: Json | undefined,
): { readonly id: string; readonly version?: string }[] {
  const listed = isJsonArray(declared) ? declared.flatMap(interfaceOf) : [];
  return listed.length > 0 ? listed : inferred(capabilities);
}

function interfaceOf(declared: Json) {
  if (typeof declared === 'string') return [{ id: declared }];
  const id = isJsonObject(declared) ? text(declared['id']) : undefined;
  if (id === undefined || !isJsonObject(declared)) return [];
  return [{ id, ...optional('version', versionIn(declared)) }];
}

function inferred(capabilities: Json | undefined) {
  if (!isJsonObject(capabilities)) return [];
  return [
    ...('content_extraction' in capabilities ? [{ id: known.extractor }] : []),
    ...('kg_entities' in capabilities ? [{ id: known.entities }] : []),
  ];
}

function fileTypesOf(capabilities: Json | undefined): NonNullable<Manifest['extractor']> {
  const extraction = isJsonObject(capabilities) ? capabilities['content_extraction'] : undefined;
  const { formats, extensions } = isJsonObject(extraction) ? extraction : {};
  return { formats: textsIn(formats), extensions: textsIn(extensions) };
}

/** Versions are written as numbers, too. */
function versionIn({ version }: JsonObject): string | undefined {
  return typeof version === 'number' ? String(version) : text(version);
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  // The compiler does not know that a computed key of a literal type makes an object of that key.
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: Value });
}
