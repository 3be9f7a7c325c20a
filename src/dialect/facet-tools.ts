// What a plugin can be asked beside its tools, as tools, for dialects that have no words of their own for it.
import type { JsonObject } from '../base/json.ts';
import type { Backend, BackendRequest, RunningCall } from '../definition/backend.ts';
import type { CallSink } from '../definition/outcome.ts';
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
import { refusedCall } from './refused-call.ts';

/** What is offered and called where tools are all there is. */
export type Offer = Pick<Backend, 'profile' | 'call'>;

/** Asked for beside tools. */
export type Facet = NonNullable<Tool['facet']>;

const everyFacet: readonly Facet[] = ['extractor', 'planner', 'executor'];

/**
 * The tools of the backend and one for each of its facets: `extract`, `create_plan`, `execute_task`, `validate_code`.
 * @param wordless those for which the dialect has no words of its own
 */
export function withFacetTools(backend: Backend, wordless: readonly Facet[] = everyFacet): Offer {
  const candidates = facetTools.filter(({ facet }) => wordless.includes(facet));
  return {
    // As it is now: facets may come and go.
    get profile() {
      const own = backend.profile.tools;
      const added = candidates.filter((facet) => facet.isIn(backend) && !has(own, facet.tool.name));
      return { ...backend.profile, tools: [...own, ...added.map(({ tool }) => tool)] };
    },
    call: (request, sink) => call(backend, candidates, request, sink),
  };
}

/** What a plugin has beside its tools, as far as tools can be made of it: a backend, or what it says of itself. */
interface Facets {
  readonly extractor?: unknown;
  readonly planner?: unknown;
  readonly executor?: { readonly validateCode?: unknown } | undefined;
}

/** Those tools alone, of a plugin that does not run. */
export function toolsOfFacets(facets: Facets): readonly Tool[] {
  return facetTools.filter((facet) => facet.isIn(facets)).map(({ tool }) => tool);
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
  const checked = validator(facet.tool.inputSchema)(request.args);
  if ('problems' in checked) {
    const message = `The arguments do not fit "${request.tool}": ${checked.problems.join('; ')}.`;
    return refusedCall({ code: 'INVALID_ARGUMENTS', message }, sink);
  }
  return facet.start(backend, request, sink) ?? backend.call(request, sink);
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
