// The manifest.json of a plugin: what an engine reads before it starts anything, and the only place where it finds the parameters.
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, textsIn, type JsonObject } from '../../base/json.ts';
import type { Profile } from '../../definition/backend.ts';
import type { Tool } from '../../definition/tool.ts';
import { toolsWithFacets } from '../facet-tools.ts';
import { PROTOCOL_VERSION } from './schema.ts';
import { INPUT_HANDLER, wordlessFacets } from './tools.ts';

export interface ManifestFileOptions {
  /** What the engine starts: a file beside the manifest, such as `plugin.py`, `plugin.mjs` or `launch.bat`. It starts no command line. */
  readonly executable: string;
  /**
   * Whether the plugin goes on running between two calls.
   * @default true
   */
  readonly persistent?: boolean;
}

/** @throws PluglotError UNSUPPORTED when a tool has a name that the engine keeps for itself */
export function gassistManifestFile(
  profile: Profile,
  { executable, persistent = true }: ManifestFileOptions,
): JsonObject {
  const { name, version, description, talks = false } = profile;
  const tools = toolsWithFacets(profile, wordlessFacets);
  return {
    manifestVersion: 1,
    name,
    version,
    ...(description !== undefined && { description }),
    protocol_version: PROTOCOL_VERSION,
    executable,
    persistent,
    ...(talks && { passthrough: true }),
    functions: tools.map((tool) => functionOf(tool, name)),
  };
}

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

const RESERVED_PREFIX = 'rise_';

/** In both styles that there are, since each reader knows one: the emulator reads `parameters`, and most manifests have `properties` and `required`. */
function parametersOf({ inputSchema }: Tool): JsonObject {
  if (!isJsonObject(inputSchema)) return {};
  const { properties, required } = inputSchema;
  return {
    properties: isJsonObject(properties) ? properties : {},
    required: textsIn(required),
    parameters: inputSchema,
  };
}
