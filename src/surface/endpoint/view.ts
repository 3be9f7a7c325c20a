// What one kind of client sees of all that is exposed: everything, or what its profile says.
import type { CommandProfile } from '../../definition/backend.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Registry } from '../../fleet/registry/registry.ts';
import { matchesGlob } from '../../gate/policy/glob.ts';
import type { EndpointProfile } from './options.ts';
import { wireNames } from './wire-names.ts';

export interface OfferedTool {
  /** As clients call it. */
  readonly name: string;
  /** Under the name that it is exposed under. */
  readonly tool: Tool;
  readonly plugin: string;
}

interface Seen {
  readonly tools: readonly OfferedTool[];
  readonly byName: ReadonlyMap<string, OfferedTool>;
}

export class View {
  /** Undefined: of those without one. */
  readonly profileName: string | undefined;
  readonly #registry: Registry;
  readonly #usualThreshold: number;
  #profile: EndpointProfile;
  #seen: Seen | undefined;

  constructor(
    registry: Registry,
    profileName: string | undefined,
    profile: EndpointProfile,
    searchAbove: number,
  ) {
    this.#registry = registry;
    this.profileName = profileName;
    this.#profile = profile;
    this.#usualThreshold = searchAbove;
  }

  /** From now on it is this that is seen. */
  use(profile: EndpointProfile): void {
    this.#profile = profile;
    this.refresh();
  }

  /** To be told when what is exposed has changed. */
  refresh(): void {
    this.#seen = undefined;
  }

  get tools(): readonly OfferedTool[] {
    return this.#look().tools;
  }

  /** There are too many to read them all. */
  get searches(): boolean {
    return this.tools.length > thresholdOf(this.#profile, this.#usualThreshold);
  }

  get asksForApproval(): boolean {
    return this.#profile.approvals !== false;
  }

  find(name: string): OfferedTool | undefined {
    const listed = this.#look().byName.get(name);
    if (listed !== undefined) return listed;
    // Some dialects have tools that nobody lists.
    const found = this.#registry.resolveTool(name);
    if (found === undefined) return undefined;
    const tool = { ...found.tool, name: found.name };
    return this.#shows(tool, found.plugin) ? { name, tool, plugin: found.plugin } : undefined;
  }

  get commands(): readonly CommandProfile[] {
    if (this.#profile.readOnly === true) return [];
    return this.#registry.getExposedUserCommands().filter(({ name }) => {
      const plugin = this.#registry.resolveCommand(name)?.plugin;
      return plugin !== undefined && this.#showsAllOf(plugin);
    });
  }

  /** Those whose resources and prompts are seen. */
  get plugins(): readonly string[] {
    return this.#registry.listExposed().filter((name) => this.#showsAllOf(name));
  }

  /** What a model should know of what it sees. */
  get instructions(): string | undefined {
    const { tools, plugins } = this.#profile;
    if (tools === undefined && plugins === undefined) return this.#registry.getSystemInstructions();
    const seen = new Set([...this.tools.map(({ plugin }) => plugin), ...this.plugins]);
    const texts = [...seen].flatMap((name) => {
      const text = this.#registry.getPlugin(name)?.profile?.instructions?.trim() ?? '';
      return text === '' ? [] : [`# ${name}\n\n${text.slice(0, INSTRUCTIONS_MAX)}`];
    });
    return texts.length === 0 ? undefined : texts.join('\n\n');
  }

  #look(): Seen {
    this.#seen ??= this.#lookAnew();
    return this.#seen;
  }

  #lookAnew(): Seen {
    const shown = this.#registry.getExposedDeclarations().flatMap((tool) => {
      const plugin = this.#registry.resolveTool(tool.name)?.plugin;
      return plugin !== undefined && this.#shows(tool, plugin) ? [{ tool, plugin }] : [];
    });
    const names = wireNames(shown.map(({ tool }) => tool.name));
    const tools = shown.map((one) => ({ ...one, name: names.get(one.tool.name) ?? one.tool.name }));
    return { tools, byName: new Map(tools.map((tool) => [tool.name, tool])) };
  }

  #shows({ name, hints }: Tool, plugin: string): boolean {
    const { tools, plugins, readOnly } = this.#profile;
    if (readOnly === true && hints?.readOnly !== true) return false;
    if (plugins !== undefined && !plugins.includes(plugin)) return false;
    return tools === undefined || tools.some((pattern) => matchesGlob(pattern, name));
  }

  #showsAllOf(plugin: string): boolean {
    const { tools, plugins } = this.#profile;
    return plugins === undefined ? tools === undefined : plugins.includes(plugin);
  }
}

/** As for a host without profiles. */
const INSTRUCTIONS_MAX = 64 * 1024;

function thresholdOf({ search }: EndpointProfile, usual: number): number {
  if (search === undefined) return usual;
  if (typeof search === 'number') return search;
  return search ? -1 : Infinity;
}
