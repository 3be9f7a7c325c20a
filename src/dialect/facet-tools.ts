// What a plugin can be asked beside its tools, as tools, for dialects that have no words of their own for it.
import type { JsonObject } from '../base/json.ts';
import type { Backend, BackendRequest, Profile, RunningCall } from '../definition/backend.ts';
import type { CallFailure, CallSink } from '../definition/outcome.ts';
import { validator } from '../definition/schema/validator.ts';
import type { Tool } from '../definition/tool.ts';
import {
  extractTool,
  planTool,
  readCode,
  readExtract,
  readPlan,
  readTask,
  taskTool,
  validateTool,
} from './facet-requests.ts';
import { KeptSession } from './kept-session.ts';
import { refusedCall } from './refused-call.ts';
import { sayToolBeside, type SayTool } from './say-tool.ts';

/** What is offered and called where tools are all there is. For one host: it knows whether a session is kept. */
export interface Offer extends Pick<Backend, 'profile' | 'call'> {
  /** The tool that takes what the user says next; undefined where nobody would hear it, or the dialect has words for that. */
  readonly say: string | undefined;
  /** Something was asked beside the tools, which ends the session. */
  leave(): void;
}

/** Asked for beside tools. */
export type Facet = NonNullable<Tool['facet']>;

const everyFacet: readonly Facet[] = ['extractor', 'planner', 'executor', 'talk'];

/**
 * The tools of the backend and one for each of its facets: `extract`, `create_plan`, `execute_task`, `validate_code`, `say`.
 * @param wordless those for which the dialect has no words of its own
 */
export function withFacetTools(backend: Backend, wordless: readonly Facet[] = everyFacet): Offer {
  const candidates = facetTools.filter(({ facet }) => wordless.includes(facet));
  const session = wordless.includes('talk') ? new KeptSession() : undefined;
  // As it is now: facets may come and go.
  const tools = (): readonly Tool[] => {
    const own = backend.profile.tools;
    const added = candidates.filter((facet) => facet.isIn(backend) && !has(own, facet.tool.name));
    return [...own, ...added.map(({ tool }) => tool)];
  };
  const say = () =>
    session === undefined || backend.talk === undefined ? undefined : sayToolBeside(backend.profile.tools);
  return {
    get profile() {
      return { ...backend.profile, tools: [...tools(), ...asList(say())] };
    },
    get say() {
      return say()?.name;
    },
    call(request, sink) {
      const { talk } = backend;
      if (session === undefined || talk === undefined) return call(backend, candidates, request, sink);
      const tool = sayToolBeside(backend.profile.tools);
      if (request.tool !== tool.name) return call(backend, candidates, request, session.begin(sink));
      return sayTo(talk, session, tool, request, sink);
    },
    leave: () => session?.leave(),
  };
}

function asList<Item>(item: Item | undefined): readonly Item[] {
  return item === undefined ? [] : [item];
}

function sayTo(
  talk: NonNullable<Backend['talk']>,
  session: KeptSession,
  { inputSchema }: SayTool,
  request: BackendRequest,
  sink: CallSink,
): RunningCall {
  const problem = misfit(request, inputSchema);
  if (problem !== undefined) return refusedCall(problem, sink);
  const heard = session.say(sink);
  if ('code' in heard) return refusedCall(heard, sink);
  // A text, by its schema.
  return talk.input(request.args['content'] as string, request, heard);
}

/** What a plugin has beside its tools, as far as tools can be made of it: a backend, or what it says of itself. */
interface Facets {
  readonly extractor?: unknown;
  readonly planner?: unknown;
  readonly executor?: { readonly validateCode?: unknown } | undefined;
}

/**
 * All tools of a plugin that does not run, those included.
 * @param wordless as for `withFacetTools`
 */
export function toolsWithFacets(profile: Profile, wordless: readonly Facet[]): readonly Tool[] {
  const { tools, talks = false } = profile;
  const added = facetTools.filter(({ facet, isIn }) => wordless.includes(facet) && isIn(profile));
  const say = talks && wordless.includes('talk') ? [sayToolBeside(tools)] : [];
  return [...tools, ...added.map(({ tool }) => tool), ...say];
}

/**
 * Why a plugin cannot be offered like this; undefined when it can.
 * @param wordless as for `withFacetTools`
 */
export function facetCollision(
  backend: Backend,
  wordless: readonly Facet[] = everyFacet,
): string | undefined {
  const { name, tools } = backend.profile;
  const candidates = facetTools.filter(({ facet }) => wordless.includes(facet));
  const taken = candidates.find((facet) => facet.isIn(backend) && has(tools, facet.tool.name))?.tool.name;
  if (taken === undefined) return undefined;
  return `Plugin "${name}" has a tool "${taken}", and in this dialect that is the name under which it ${deeds[taken]}. Rename the tool.`;
}

interface FacetTool {
  readonly facet: Facet;
  readonly tool: Tool & { readonly inputSchema: JsonObject };
  readonly isIn: (facets: Facets) => boolean;
  /** Undefined when the backend has no such facet. The arguments fit the schema. */
  readonly start: (backend: Backend, request: BackendRequest, sink: CallSink) => RunningCall | undefined;
}

const facetTools: readonly FacetTool[] = [
  {
    facet: 'extractor',
    tool: extractTool,
    isIn: ({ extractor }) => extractor !== undefined,
    start: ({ extractor }, request, sink) => {
      const { source, type, options } = readExtract(request.args);
      return extractor?.extract(source, type, options, request, sink);
    },
  },
  {
    facet: 'planner',
    tool: planTool,
    isIn: ({ planner }) => planner !== undefined,
    start: ({ planner }, request, sink) => planner?.createPlan(readPlan(request.args), request, sink),
  },
  {
    facet: 'executor',
    tool: taskTool,
    isIn: ({ executor }) => executor !== undefined,
    start: ({ executor }, request, sink) => executor?.executeTask(readTask(request.args), request, sink),
  },
  {
    facet: 'executor',
    tool: validateTool,
    isIn: ({ executor }) => executor?.validateCode !== undefined,
    start: ({ executor }, request, sink) => executor?.validateCode?.(readCode(request.args), request, sink),
  },
];

function call(
  backend: Backend,
  candidates: readonly FacetTool[],
  request: BackendRequest,
  sink: CallSink,
): RunningCall {
  const facet = candidates.find(({ tool }) => tool.name === request.tool);
  if (facet?.isIn(backend) !== true || has(backend.profile.tools, request.tool))
    return backend.call(request, sink);
  const problem = misfit(request, facet.tool.inputSchema);
  if (problem !== undefined) return refusedCall(problem, sink);
  return facet.start(backend, request, sink) ?? backend.call(request, sink);
}

/** Why the arguments are not taken. */
function misfit({ tool, args }: BackendRequest, schema: JsonObject): CallFailure | undefined {
  const checked = validator(schema)(args);
  if (!('problems' in checked)) return undefined;
  const message = `The arguments do not fit "${tool}": ${checked.problems.join('; ')}.`;
  return { code: 'INVALID_ARGUMENTS', message };
}

const deeds: Readonly<Record<string, string>> = {
  extract: 'extracts',
  create_plan: 'plans',
  execute_task: 'does tasks',
  validate_code: 'validates code',
};

function has(tools: readonly Tool[], name: string): boolean {
  return tools.some((tool) => tool.name === name);
}
