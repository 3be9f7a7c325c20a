// The manifest of a YAMS plugin, both ways: in the handshake, in yams-plugin.json, and the tools that it names.
import path from 'node:path';
import { defined, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { FileTypes } from '../../definition/plan.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { Tool } from '../../definition/tool.ts';
import { toolsWithFacets, type Facet } from '../facet-tools.ts';
import { fromWire, listedTexts, shape, type FieldType, type Shape } from '../shape.ts';
import { hostOnlyMethods, interfaces as known, methods, withDot } from './schema.ts';

/** The facets for which YAMS has no methods. */
export const facetsAsTools: readonly Facet[] = ['planner', 'executor', 'talk'];

interface WireManifest {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  readonly author?: string;
  readonly interfaces: readonly Interface[];
}

interface Interface {
  readonly id: string;
  readonly version?: string;
}

/** Some plugins write versions as numbers. */
const version: FieldType = {
  read: (value) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined,
  expected: 'a version',
};

const interfaceEntry = shape<Interface>(
  { id: { type: 'name', required: true }, version: { type: version } },
  'id',
);

const wireManifest = shape<WireManifest>({
  name: 'name',
  version: { type: version },
  description: 'name',
  author: 'name',
  interfaces: { type: { listOf: interfaceEntry, dropInvalid: true }, default: [] },
});

const wireTool = shape<Pick<Tool, 'name' | 'description' | 'inputSchema' | 'autoApprove' | 'facet'>>(
  {
    name: { type: 'name', required: true },
    description: 'name',
    inputSchema: { wire: 'input_schema', type: 'schema' },
    autoApprove: {
      wire: 'auto_approve',
      type: { read: (value) => (value === true ? true : undefined), expected: 'true' },
    },
    facet: { type: { oneOf: ['talk'] } },
  },
  'name',
);

const fileTypes = shape<FileTypes>({
  formats: { type: listedTexts, default: [] },
  extensions: { type: listedTexts, default: [] },
});

const toolList = shape<{ readonly tools: readonly Tool[] }>({
  tools: { type: { listOf: wireTool, dropInvalid: true }, default: [] },
});

/** The file on disk wins over the handshake, field by field, as in the real host. */
export function readManifest(sent: JsonObject, spec: PluginSpec, configApplied?: Json): Manifest {
  const onDisk = spec.manifest ?? {};
  const all = readOr(wireManifest, { ...sent, ...onDisk }, { interfaces: [] });
  const capabilities = merged(sent['capabilities'], onDisk['capabilities']);
  const interfaces = all.interfaces.length > 0 ? all.interfaces : inferredInterfaces(capabilities);
  const has = (interfaceId: string) => interfaces.some(({ id }) => id === interfaceId);
  const isExtractor = has(known.extractor);
  const { name, description, author } = all;
  return defined({
    name: (has(known.tools) && name !== undefined ? fromWireName(name) : name) ?? path.parse(spec.name).name,
    version: all.version ?? '0.0.0',
    description,
    author,
    dialect: 'yams',
    capabilities,
    interfaces,
    tools: toolsOf(capabilities, spec.methods ?? [], isExtractor),
    extractor: isExtractor ? fileTypesOf(capabilities) : undefined,
    configApplied,
    raw: sent,
  });
}

/** For shapes without required fields, which refuse nothing but values that are not objects. */
function readOr<Value>(given: Shape<Value>, wire: Json | undefined, otherwise: Value): Value {
  const read = fromWire(given, wire, 'the manifest', 'lenient');
  return 'value' in read ? read.value : otherwise;
}

function merged(sent: Json | undefined, onDisk: Json | undefined): Json | undefined {
  return isJsonObject(sent) && isJsonObject(onDisk) ? { ...sent, ...onDisk } : (onDisk ?? sent);
}

function inferredInterfaces(capabilities: Json | undefined): Interface[] {
  if (!isJsonObject(capabilities)) return [];
  const inferred = [];
  if ('content_extraction' in capabilities) inferred.push({ id: known.extractor });
  if ('kg_entities' in capabilities) inferred.push({ id: known.entities });
  return inferred;
}

function fileTypesOf(capabilities: Json | undefined): FileTypes {
  const extraction = isJsonObject(capabilities) ? capabilities['content_extraction'] : undefined;
  return readOr(fileTypes, extraction, { formats: [], extensions: [] });
}

/** YAMS has no list of tools: every RPC method is one. Of two entries for one method, the first knows more of it. */
export function toolsOf(
  capabilities: Json | undefined,
  configured: readonly string[],
  isExtractor: boolean,
): readonly Tool[] {
  const tools = new Map<string, Tool>();
  const found: readonly Tool[] = [
    // Written by our own author ends.
    ...readOr(toolList, capabilities, { tools: [] }).tools,
    ...(isExtractor ? [extractTool] : []),
    ...rpcMethods(capabilities, 0),
    ...configured.map((name) => ({ name })),
  ];
  for (const tool of found) {
    if (tool.name !== '' && !hostOnlyMethods.has(tool.name) && !tools.has(tool.name)) {
      tools.set(tool.name, tool);
    }
  }
  return [...tools.values()];
}

/** Real manifests are not this deep, and a hostile one must not exhaust the stack. */
const DEPTH_MAX = 16;

/** Every `rpc_method` in the capabilities, such as that of `kg_entities`. */
function rpcMethods(value: Json | undefined, depth: number): Tool[] {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return [];
  const inner = Object.values(value).flatMap((member) => rpcMethods(member, depth + 1));
  const { rpc_method: name, description } = isJsonObject(value) ? value : {};
  if (typeof name !== 'string') return inner;
  return [
    defined({ name, description: typeof description === 'string' ? description : undefined }),
    ...inner,
  ];
}

const extractTool: Tool = {
  name: methods.extract,
  facet: 'extractor',
  description: 'Extract text and metadata from a file, given by its path or as base64.',
  inputSchema: {
    type: 'object',
    required: ['source'],
    properties: {
      source: {
        description: 'A path, or the location of the content.',
        anyOf: [
          { type: 'string', minLength: 1 },
          {
            type: 'object',
            required: ['type', 'path'],
            properties: { type: { const: 'path' }, path: { type: 'string' } },
          },
          {
            type: 'object',
            required: ['type', 'data'],
            properties: { type: { const: 'bytes' }, data: { type: 'string', contentEncoding: 'base64' } },
          },
        ],
      },
      options: {
        type: 'object',
        description: 'Options that are left out have the defaults of the plugin.',
        properties: {
          max_functions: { type: 'integer', description: 'The most functions to return; usually 100.' },
          decompile: { type: 'boolean', description: 'Whether to include decompiled code; usually true.' },
          include_metadata: { type: 'boolean', description: 'Whether to include metadata; usually true.' },
          timeout_sec: { type: 'integer', description: 'Seconds for one function; usually 10.' },
        },
      },
    },
  },
};

/** The result of handshake.manifest. */
export function writeManifest(manifest: Manifest): JsonObject {
  const { name, version, description, author, extractor } = manifest;
  const content_extraction =
    extractor === undefined
      ? undefined
      : { formats: extractor.formats, extensions: extractor.extensions.map(withDot) };
  return defined({
    name: toWireName(name),
    version,
    description,
    author,
    interfaces: extractor === undefined ? [known.tools] : [known.extractor, known.tools],
    capabilities: defined({ content_extraction, tools: writeTools(manifest) }),
  });
}

/** A tool whose name the protocol uses cannot be called, so it is not listed. */
function writeTools({ tools, extractor }: Manifest): JsonObject[] {
  const taken = new Set<string>(hostOnlyMethods).add(methods.health);
  if (extractor !== undefined) taken.add(methods.supports).add(methods.extract);
  return tools
    .filter(({ name }) => !taken.has(name))
    .map(({ name, description, inputSchema = { type: 'object' }, facet, autoApprove }) =>
      defined({
        name,
        description,
        input_schema: inputSchema,
        // Our own hosts hold the conversation with this tool.
        facet: facet === 'talk' ? facet : undefined,
        auto_approve: autoApprove === true ? true : undefined,
      }),
    );
}

/** How a host starts the plugin. `${plugin_dir}/plugin.js` is a file beside the manifest. */
export interface EntryOptions {
  /** Program and arguments, such as `['node', '${plugin_dir}/plugin.js']`. */
  readonly command: readonly string[];
  /** Programs that need no interpreter, by system. One that exists for the host's system is started instead. */
  readonly binary?: Readonly<Partial<Record<'linux' | 'darwin' | 'windows', string>>>;
  /** Added to the environment of the plugin. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The content of yams-plugin.json. */
export function yamsManifestFile(manifest: Manifest, { command, binary, env }: EntryOptions): JsonObject {
  const tools = toolsWithFacets(manifest, facetsAsTools);
  return {
    ...writeManifest({ ...manifest, tools }),
    entry: defined({ binary, fallback_cmd: binary === undefined ? undefined : command, cmd: command, env }),
  };
}

/** Wire names have only letters, digits and underscores: `-` is `__`, any other character `_x`, its number in hexadecimal, and `_`. */
export function toWireName(name: string): string {
  return name.replace(unfit, (character) =>
    character === '-' ? '__' : `_x${character.codePointAt(0)?.toString(16)}_`,
  );
}

/** The inverse of `toWireName`; texts that are not wire names come back unchanged as far as possible. */
export function fromWireName(wireName: string): string {
  return wireName.replace(/_x([0-9a-f]{1,6})_|__/g, (escape, hex: string | undefined) => {
    if (hex === undefined) return '-';
    const codePoint = Number.parseInt(hex, 16);
    return codePoint > LAST_CODE_POINT ? escape : String.fromCodePoint(codePoint);
  });
}

const LAST_CODE_POINT = 0x10ffff;

/** Underscores too, where they would be read as part of an escape: before an escaped character, or before something like `x2d_`. */
const unfit = /[^A-Za-z0-9_]|_(?=[^A-Za-z0-9]|x[0-9a-f]{1,6}[^A-Za-z0-9])/gu;
