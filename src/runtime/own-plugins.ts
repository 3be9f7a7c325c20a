// Plugins that the program which embeds a host gives in code.
import { sentence } from '../base/text.ts';
import { PluglotError } from '../base/error.ts';
import type { Definition } from '../definition/definition.ts';
import type { PluginSpec } from '../definition/plugin-spec.ts';
import type { PluginEntry } from '../fleet/discovery/config-file.ts';
import { specOfEntry, withAbsoluteFolders } from '../fleet/discovery/entry-spec.ts';
import type { Environment } from '../fleet/discovery/config-places.ts';
import { withManifestBeside } from '../fleet/discovery/manifest-folders.ts';
import type { ToolPlugin } from '../fleet/registry/tool-plugin.ts';

/** A definition, an object of the specification's shape, an entry as in pluglot.json, or a complete spec. */
export type OwnPlugin = Definition | ToolPlugin | PluginEntry | Omit<PluginSpec, 'name'>;

export interface OwnPlugins {
  readonly definitions: readonly { readonly name: string; readonly plugin: Definition | ToolPlugin }[];
  readonly specs: readonly PluginSpec[];
}

interface OwnPluginOptions {
  readonly plugins?: Readonly<Record<string, OwnPlugin>>;
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
}

/** @throws PluglotError CONFIG_INVALID when an entry cannot be used */
export async function readOwnPlugins({
  plugins = {},
  cwd,
  home,
  env,
}: OwnPluginOptions): Promise<OwnPlugins> {
  const definitions: { name: string; plugin: Definition | ToolPlugin }[] = [];
  const specs: PluginSpec[] = [];
  for (const [name, plugin] of Object.entries(plugins)) {
    if (isSpec(plugin)) specs.push(await withManifestBeside({ ...plugin, name }));
    else if (isEntry(plugin))
      specs.push(await withManifestBeside(specFrom(name, plugin, { cwd, home, env })));
    else definitions.push({ name, plugin });
  }
  return { definitions, specs };
}

function specFrom(name: string, entry: PluginEntry, { cwd, home, env }: OwnPluginOptions): PluginSpec {
  const place = { folder: cwd, home };
  const read = specOfEntry(name, withAbsoluteFolders(entry, place), { ...place, env, forms: 'all' });
  if (read.kind === 'spec') return read.spec;
  const why =
    read.kind === 'missing'
      ? `the variable ${read.variables.join(', ')} is not set`
      : 'it has neither a command nor a url';
  throw new PluglotError(
    'CONFIG_INVALID',
    sentence(`The plugin "${name}" in \`plugins\` cannot be used: ${why}`),
  );
}

function isSpec(plugin: OwnPlugin): plugin is Omit<PluginSpec, 'name'> {
  return 'start' in plugin;
}

function isEntry(plugin: OwnPlugin): plugin is PluginEntry {
  return 'command' in plugin || 'url' in plugin;
}
