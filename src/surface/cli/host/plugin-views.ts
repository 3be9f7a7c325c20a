// Plugins and tools as commands show them, without secrets: people show their terminals to others.
import type { Profile } from '../../../definition/backend.ts';
import type { PluginSpec } from '../../../definition/plugin-spec.ts';
import type { Found, FoundBuiltIn, FoundModule } from '../../../fleet/discovery/discover.ts';
import type { Plugin } from '../../../fleet/plugin/plugin.ts';
import type { RegisteredPlugin } from '../../../fleet/registry/registry.ts';
import { shownCommand } from '../../../runtime/views/shown-command.ts';
import type { PluginView, ShownManifest, ToolView } from './host.ts';

/** One that was found and is not in the fleet. */
export function viewOf(found: Found): PluginView {
  return { ...still(found.spec, found), ...keptFrom(found) };
}

export function runningView(
  plugin: Plugin,
  found: Found | undefined,
  changed: string | undefined,
): PluginView {
  const { state, since, reason, restarts, pids } = plugin.status;
  return {
    ...still(plugin.spec, found),
    dialect: plugin.manifest?.dialect ?? plugin.spec.dialect ?? 'not asked yet',
    state,
    sinceMs: Date.now() - since,
    restarts,
    pids,
    ...(reason === undefined ? {} : { reason: reason.message }),
    ...(plugin.manifest === undefined ? {} : { tools: plugin.tools().length }),
    ...(changed === undefined ? {} : { changed }),
  };
}

function still(spec: PluginSpec, found: Found | undefined): PluginView {
  return {
    ...resting(spec.name),
    dialect: spec.dialect ?? 'not asked yet',
    command: shownCommand(spec.start),
    ...(found === undefined ? {} : { origin: placeOf(found) }),
  };
}

/** One that runs in this process, once it is exposed. */
export function moduleView(found: FoundModule, known: RegisteredPlugin | undefined): PluginView {
  const { name, file } = found.module;
  return {
    ...resting(name),
    ...stateOf(known),
    command: file,
    origin: placeOf(found),
    ...keptFrom(found),
  };
}

export function builtInView(
  { name, disabled }: FoundBuiltIn,
  known: RegisteredPlugin | undefined,
): PluginView {
  return {
    ...resting(name),
    ...stateOf(known),
    command: 'built in',
    ...(disabled === undefined ? {} : { state: 'disabled' }),
  };
}

function resting(name: string): PluginView {
  return { name, dialect: 'in-process', state: 'stopped', sinceMs: 0, restarts: 0, pids: [], command: '' };
}

function stateOf(known: RegisteredPlugin | undefined): Partial<PluginView> {
  if (known === undefined) return {};
  const { isExposed, failure, profile } = known;
  return {
    state: failure !== undefined ? 'failed' : isExposed ? 'ready' : 'stopped',
    ...(failure === undefined ? {} : { reason: failure.message }),
    ...(profile === undefined ? {} : { tools: profile.tools.length }),
  };
}

/** What is not to run anyway needs no trust. */
function keptFrom({ trust, disabled }: Omit<Found, 'spec'>): Partial<PluginView> {
  if (disabled !== undefined) return { state: 'disabled' };
  return trust.trusted ? {} : { untrusted: { reason: trust.reason, wayOut: trust.wayOut } };
}

/** Bare where no other plugin has it. */
export function namedTools(all: readonly Omit<ToolView, 'name'>[]): ToolView[] {
  const counts = new Map<string, number>();
  for (const { tool } of all) counts.set(tool.name, (counts.get(tool.name) ?? 0) + 1);
  return all.map(({ plugin, tool }) => ({
    plugin,
    name: counts.get(tool.name) === 1 ? tool.name : `${plugin}__${tool.name}`,
    tool,
  }));
}

/** As those of processes introduce themselves. */
export function manifestOf(profile: Profile): ShownManifest {
  const { name, version, description, author, instructions, requires, extractor, talks, tools } = profile;
  return {
    name,
    version,
    dialect: 'in-process',
    tools,
    ...(description !== undefined && { description }),
    ...(author !== undefined && { author }),
    ...(instructions !== undefined && { instructions }),
    ...(requires !== undefined && { requires }),
    ...(extractor !== undefined && { extractor }),
    ...(talks === true && { capabilities: ['talk'] }),
    raw: null,
  };
}

function placeOf({ origin: { file, line } }: Pick<Found, 'origin'>): string {
  return line === undefined ? file : `${file}:${line}`;
}
