// What a G-Assist plugin says of itself: its tools, its answer to `initialize`, and its manifest.json.
import { defined, isJsonArray, isJsonObject, type Json, type JsonObject, textsIn } from '../../base/json.ts';
import { PluglotError } from '../../base/error.ts';
import { shown } from '../../base/text.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { ServedPort } from '../../definition/plugin-port.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { JsonSchema, Tool } from '../../definition/tool.ts';
import { facetCollision, toolsWithFacets, type Facet, type Offer } from '../facet-tools.ts';
import { fromWire, shape } from '../shape.ts';
import { isPresent, isVersion2, PROTOCOL_VERSION } from './schema.ts';

/** The protocol has no methods for these, so they are offered as tools. */
export const facetsAsTools: readonly Facet[] = ['extractor', 'planner', 'executor'];

/** The handler of inputs, which SDKs list beside the functions. */
const INPUT_HANDLER = 'on_input';

/** The tools of a plugin: the functions of its manifest.json, which have parameters and so take precedence, and its commands. */
export function toolsOf(commands: readonly Json[], manifest: JsonObject | undefined): readonly Tool[] {
  const functions = manifest?.['functions'];
  const tools = new Map<string, Tool>();
  for (const given of [...(isJsonArray(functions) ? functions : []), ...commands]) {
    const tool = parseTool(given);
    if (tool !== undefined) tools.set(tool.name, { ...tool, ...tools.get(tool.name) });
  }
  return [...tools.values()];
}

/** A function of a manifest.json, or a command. */
interface WireFunction {
  readonly name: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: JsonObject;
  readonly properties?: JsonObject;
  readonly required?: readonly string[];
}

const texts = { type: { read: someTexts, expected: 'an array of strings' } };

const functionShape = shape<WireFunction>(
  {
    name: { type: 'name', required: true },
    description: 'name',
    tags: texts,
    parameters: 'object',
    properties: 'object',
    required: texts,
  },
  'name',
);

function someTexts(value: Json): readonly string[] | undefined {
  const given = textsIn(value);
  return given.length > 0 ? given : undefined;
}

function parseTool(given: Json): Tool | undefined {
  const read = fromWire(functionShape, given, 'function', 'lenient');
  if ('problem' in read || read.value.name === INPUT_HANDLER) return undefined;
  const { name, description, tags } = read.value;
  return { name, ...defined({ description, inputSchema: schemaOf(read.value), tags }) };
}

/** Either a JSON Schema in `parameters`, or `properties` and `required` beside the name. */
function schemaOf({ parameters, properties, required }: WireFunction): JsonSchema | undefined {
  if (parameters !== undefined || properties === undefined) return parameters;
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, propertyOf(schema)]),
    ),
    ...defined({ required }),
  };
}

/** Some manifests have a text there, which describes the parameter. */
function propertyOf(schema: Json): JsonSchema {
  if (isJsonObject(schema) || typeof schema === 'boolean') return schema;
  return typeof schema === 'string' ? { description: schema } : {};
}

/**
 * The result of `initialize`.
 * @throws RpcError when the engine speaks another version, or a name would stand for two things
 */
export function introduction(
  backend: ServedPort,
  { manifest }: Pick<Offer, 'manifest'>,
  { protocol_version: version }: JsonObject,
): JsonObject {
  // An engine that does not name its version is taken to speak this one.
  if (isPresent(version) && !isVersion2(version)) {
    throw new RpcError(
      standardErrors.invalidParams.code,
      `Plugin "${manifest.name}" speaks version ${PROTOCOL_VERSION} of the G-Assist protocol; the engine asked for ${shown(version, 40)} in protocol_version.`,
    );
  }
  const talks = backend.talk !== undefined;
  const collision = facetCollision(backend) ?? (talks ? inputCollision(manifest) : undefined);
  if (collision !== undefined) throw new RpcError(standardErrors.internalError.code, collision);
  const { name, version: pluginVersion, description } = manifest;
  return {
    name,
    version: pluginVersion,
    ...defined({ description }),
    protocol_version: PROTOCOL_VERSION,
    capabilities: ['streaming', ...(talks ? ['passthrough'] : [])],
    commands: commandsOf(manifest, talks),
  };
}

function inputCollision({ name, tools }: Manifest): string | undefined {
  if (!tools.some((tool) => tool.name === INPUT_HANDLER)) return undefined;
  return `Plugin "${name}" has a tool that is called "${INPUT_HANDLER}", and takes part in conversations, whose handler has that name in G-Assist. Rename the tool.`;
}

function commandsOf({ tools }: Manifest, talks: boolean): readonly JsonObject[] {
  const commands = tools.map(({ name, description = '' }) => ({ name, description }));
  if (!talks) return commands;
  return [...commands, { name: INPUT_HANDLER, description: 'Takes what the user says in a session.' }];
}

export interface ManifestFileOptions {
  /** What the engine starts: a file beside the manifest, such as `plugin.py`, `plugin.mjs` or `launch.bat`. It takes no command line. */
  readonly executable: string;
  /**
   * Whether the plugin goes on running between two calls.
   * @default true
   */
  readonly persistent?: boolean;
}

/**
 * The manifest.json, which an engine reads before it starts a plugin, and where alone it finds the parameters.
 * @throws PluglotError UNSUPPORTED when a tool has a name that the engine keeps for itself
 */
export function gassistManifestFile(
  manifest: Manifest,
  { executable, persistent = true }: ManifestFileOptions,
): JsonObject {
  const { name, version, description, talks = false } = manifest;
  const tools = toolsWithFacets(manifest, facetsAsTools);
  return {
    manifestVersion: 1,
    name,
    version,
    ...defined({ description }),
    protocol_version: PROTOCOL_VERSION,
    executable,
    persistent,
    ...(talks && { passthrough: true }),
    functions: tools.map((tool) => functionOf(tool, name)),
  };
}

const RESERVED_PREFIX = 'rise_';

function functionOf(tool: Tool, pluginName: string): JsonObject {
  const { name, title, description = title ?? name, tags = [] } = tool;
  if (name === INPUT_HANDLER || name.startsWith(RESERVED_PREFIX)) {
    throw new PluglotError(
      'UNSUPPORTED',
      `Tool "${name}" of plugin "${pluginName}" cannot have this name in G-Assist: "${INPUT_HANDLER}" and names that begin with "${RESERVED_PREFIX}" are the engine's own. Rename it.`,
    );
  }
  // The emulator takes no function without a description.
  return { name, description, tags, ...parametersOf(tool) };
}

/** In both styles, since each reader knows one: the emulator reads `parameters`, most manifests have `properties` and `required`. */
function parametersOf({ inputSchema }: Tool): JsonObject {
  if (!isJsonObject(inputSchema)) return {};
  const { properties, required } = inputSchema;
  return {
    properties: isJsonObject(properties) ? properties : {},
    required: textsIn(required),
    parameters: inputSchema,
  };
}
