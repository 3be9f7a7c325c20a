// What one kind of client sees of all that is offered to clients: everything, or what its profile says.
import type { JsonObject } from '../../base/json.ts';
import type { CommandManifest } from '../../definition/manifest.ts';
import { ownPart, splitName } from '../../definition/plugin-spec.ts';
import type { Tool } from '../../definition/tool.ts';
import { wireTool } from '../../dialect/mcp/server-tools.ts';
import type { Registry } from '../../fleet/registry/registry.ts';
import { isOffered, type ResolvedTool } from '../../fleet/registry/contract.ts';
import { matchesGlob } from '../../gate/policy/glob.ts';
import type { EndpointProfile } from './options.ts';

export interface OfferedTool {
  /** As clients call it. */
  readonly name: string;
  /** As `plugin__tool`. */
  readonly tool: Tool;
  readonly plugin: string;
}

export interface OfferedCommand {
  /** As clients call it. */
  readonly name: string;
  /** As `plugin__command`. */
  readonly command: CommandManifest;
  readonly plugin: string;
}

interface Seen {
  readonly tools: readonly OfferedTool[];
  readonly byName: ReadonlyMap<string, OfferedTool>;
}

const client = { kind: 'client' } as const;

export class View {
  readonly #registry: Registry;
  readonly #usualThreshold: number;
  #profile: EndpointProfile;
  #seen: Seen | undefined;

  constructor(registry: Registry, profile: EndpointProfile, searchAbove: number) {
    this.#registry = registry;
    this.#profile = profile;
    this.#usualThreshold = searchAbove;
  }

  /** Replaces the profile. */
  use(profile: EndpointProfile): void {
    this.#profile = profile;
    this.refresh();
  }

  /** Call it when the exposed tools have changed. */
  refresh(): void {
    this.#seen = undefined;
  }

  get tools(): readonly OfferedTool[] {
    return this.#current().tools;
  }

  /** Whether there are too many tools to list them all. */
  get searches(): boolean {
    return this.tools.length > thresholdOf(this.#profile, this.#usualThreshold);
  }

  get asksForApproval(): boolean {
    return this.#profile.approvals !== false;
  }

  find(name: string): OfferedTool | undefined {
    const listed = this.#current().byName.get(name);
    if (listed !== undefined) return listed;
    // Under another of its names, or one that its dialect does not list.
    const found = this.#registry.resolveTool(name);
    return found && this.#offered(found);
  }

  get commands(): readonly OfferedCommand[] {
    return this.#registry.getExposedUserCommands().flatMap(({ name }) => this.findCommand(name) ?? []);
  }

  findCommand(name: string): OfferedCommand | undefined {
    if (this.#profile.readOnly === true) return undefined;
    const found = this.#registry.resolveCommand(name);
    if (found === undefined || !isOffered(client, found) || !this.#showsAllOf(found.plugin)) return undefined;
    return { name: found.clientName, command: { ...found.command, name: found.name }, plugin: found.plugin };
  }

  /** Those whose resources and prompts are seen. */
  get plugins(): readonly string[] {
    return this.#registry
      .listExposed()
      .filter((name) => this.#registry.getPlugin(name)?.isForClients === true && this.#showsAllOf(name));
  }

  /** What a model should know of what it sees. */
  get instructions(): string | undefined {
    const seen = new Set([...this.tools.map(({ plugin }) => plugin), ...this.plugins]);
    const texts = [...seen].flatMap((name) => {
      const text = this.#registry.getPlugin(name)?.manifest?.instructions?.trim() ?? '';
      return text === '' ? [] : [`# ${name}\n\n${text.slice(0, INSTRUCTIONS_MAX)}`];
    });
    return texts.length === 0 ? undefined : texts.join('\n\n');
  }

  #current(): Seen {
    this.#seen ??= this.#read();
    return this.#seen;
  }

  #read(): Seen {
    const tools = this.#registry
      .listExposed()
      .flatMap((plugin) => this.#registry.toolsOf(plugin))
      .flatMap((found) => this.#offered(found) ?? []);
    return { tools, byName: new Map(tools.map((tool) => [tool.name, tool])) };
  }

  #offered(found: ResolvedTool): OfferedTool | undefined {
    if (!isOffered(client, found)) return undefined;
    const tool = { ...found.tool, name: found.name };
    const { clientName: name, plugin } = found;
    return this.#shows(tool, plugin) ? { name, tool, plugin } : undefined;
  }

  #shows({ name, hints }: Tool, plugin: string): boolean {
    const { tools, plugins, readOnly } = this.#profile;
    if (readOnly === true && hints?.readOnly !== true) return false;
    if (plugins !== undefined && !plugins.includes(plugin)) return false;
    return tools === undefined || tools.some((pattern) => isMeant(pattern, name));
  }

  #showsAllOf(plugin: string): boolean {
    const { tools, plugins } = this.#profile;
    return plugins === undefined ? tools === undefined : plugins.includes(plugin);
  }
}

/** A pattern without a plugin is one for what plugins call their tools. */
function isMeant(pattern: string, name: string): boolean {
  const [of, one] = [splitName(pattern), splitName(name)];
  if (of === undefined || one === undefined) return matchesGlob(pattern, ownPart(name));
  return matchesGlob(of.plugin, one.plugin) && matchesGlob(of.own, one.own);
}

/** What MCP shows of it. A name that clients do not take stays as its title, unless it has one, and in `_meta`. */
export function listed({ name, tool }: OfferedTool): JsonObject {
  if (name === tool.name) return wireTool(tool);
  const { title = ownPart(tool.name) } = tool;
  return { ...wireTool({ ...tool, name, title }), _meta: { 'pluglot/name': tool.name } };
}

/** As for a host without profiles. */
const INSTRUCTIONS_MAX = 64 * 1024;

function thresholdOf({ search }: EndpointProfile, usual: number): number {
  if (search === undefined) return usual;
  if (typeof search === 'number') return search;
  return search ? -1 : Infinity;
}
