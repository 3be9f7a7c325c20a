// What plugins say of themselves, as the profile of one: that of a single plugin is its own, several have a name together.
import type { Profile } from '../../definition/backend.ts';
import type { FileTypes } from '../../definition/extraction.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { Plugin } from '../plugin/plugin.ts';
import { exposedTools } from './exposed-tools.ts';

export interface Identity {
  readonly name: string;
  readonly version: string;
}

export function profileOf(plugins: readonly Plugin[], together: Identity, { facets = false } = {}): Profile {
  const manifests = plugins.flatMap(({ manifest }) => manifest ?? []);
  const [first, ...others] = manifests;
  const isOne = first !== undefined && others.length === 0 && plugins.length === 1;
  const extractor = fileTypesOf(manifests);
  const tools = exposedTools(plugins, { facets });
  const requires = uniqueOf(manifests.flatMap((manifest) => manifest.requires ?? []));
  return {
    ...(isOne ? identityOf(first) : joinedIdentity(plugins, together)),
    ...(requires.length === 0 ? {} : { requires }),
    ...(extractor === undefined ? {} : { extractor }),
    ...(plugins.some(({ abilities }) => abilities.talks) ? { talks: true } : {}),
    tools,
    commands: [],
    autoApprove: tools.filter(({ autoApprove }) => autoApprove === true).map(({ name }) => name),
  };
}

function identityOf({ name, version, description, author, instructions }: Manifest) {
  return {
    name,
    version,
    ...(description === undefined ? {} : { description }),
    ...(author === undefined ? {} : { author }),
    ...(instructions === undefined ? {} : { instructions }),
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
