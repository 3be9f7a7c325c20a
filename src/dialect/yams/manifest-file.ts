// The yams-plugin.json of a plugin: what a host reads before it starts anything, and believes more than the handshake.
import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../../definition/backend.ts';
import { toolsWithFacets } from '../facet-tools.ts';
import { wordlessFacets } from './tools.ts';
import { toldManifest } from './told-manifest.ts';

/** What a host starts. A file beside the manifest is named as `${plugin_dir}/plugin.js`. */
export interface EntryOptions {
  /** The words of the command, such as `['node', '${plugin_dir}/plugin.js']`. */
  readonly command: readonly string[];
  /** Programs that need no interpreter, by system. Where there is one for the host's system and it is built, it is started instead. */
  readonly binary?: Readonly<Partial<Record<'linux' | 'darwin' | 'windows', string>>>;
  /** Added to the environment of the plugin. */
  readonly env?: Readonly<Record<string, string>>;
}

export function yamsManifestFile(profile: Profile, { command, binary, env }: EntryOptions): JsonObject {
  const entry =
    binary === undefined ? { cmd: command } : { binary: { ...binary }, fallback_cmd: command, cmd: command };
  const tools = toolsWithFacets(profile, wordlessFacets);
  return {
    ...toldManifest({ ...profile, tools }),
    entry: { ...entry, ...(env === undefined ? {} : { env }) },
  };
}
