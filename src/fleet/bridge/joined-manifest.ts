// The manifest of plugins that are served as one: a single plugin keeps its own, several share a name.
import type { FileTypes } from '../../definition/plan.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { Plugin } from '../plugin/plugin.ts';
import { exposedTools } from './exposed-tools.ts';

export interface Identity {
  readonly name: string;
  readonly version: string;
}

export function joinedManifest(
  plugins: readonly Plugin[],
  together: Identity,
  { facets = false } = {},
): Manifest {
  const manifests = plugins.flatMap(({ manifest }) => manifest ?? []);
  const [first, ...others] = manifests;
  const isOne = first !== undefined && others.length === 0 && plugins.length === 1;
  const tools = exposedTools(plugins, { facets });
  if (isOne) return { ...first, tools };
  const extractor = fileTypesOf(manifests);
  const requires = uniqueOf(manifests.flatMap((manifest) => manifest.requires ?? []));
  return {
    ...joinedIdentity(plugins, together),
    ...(requires.length === 0 ? {} : { requires }),
    ...(extractor === undefined ? {} : { extractor }),
    ...(manifests.some((manifest) => manifest.talks === true) ? { talks: true } : {}),
    dialect: 'in-process',
    tools,
    raw: null,
  };
}

function joinedIdentity(plugins: readonly Plugin[], { name, version }: Identity) {
  const instructions = plugins.flatMap((plugin) => {
    const text = plugin.manifest?.instructions;
    return text === undefined ? [] : [`# ${plugin.name}\n\n${text}`];
  });
  return {
    name,
    version,
    description: `The plugins ${plugins.map((plugin) => plugin.name).join(', ')}.`,
    ...(instructions.length === 0 ? {} : { instructions: instructions.join('\n\n') }),
  };
}

function fileTypesOf(manifests: readonly Manifest[]): FileTypes | undefined {
  const extractors = manifests.flatMap(({ extractor }) => extractor ?? []);
  if (extractors.length === 0) return undefined;
  return {
    formats: [...new Set(extractors.flatMap(({ formats }) => formats))],
    extensions: [...new Set(extractors.flatMap(({ extensions }) => extensions))],
  };
}

function uniqueOf(requires: NonNullable<Manifest['requires']>): NonNullable<Manifest['requires']> {
  return [...new Set(requires.map(({ command }) => command))].map((command) => ({ command }));
}
