// Extractor, planner, executor and talk of a plugin as tools, for dialects that have no methods for them.
import { sentence } from '../base/text.ts';
import { extname } from 'node:path';
import { defined } from '../base/json.ts';
import type { PluginPort, RunningCall, TalkPort } from '../definition/plugin-port.ts';
import type { Manifest } from '../definition/manifest.ts';
import type { CallFailure, CallInfo, CallRequest, CallSink } from '../definition/outcome.ts';
import type { Tool } from '../definition/tool.ts';
import { codeRequest, extractRequest, planRequest, taskRequest } from './facet-requests.ts';
import { KeptSession, sayArguments, sayToolBeside } from './talk-tool.ts';
import { refusedCall } from './failure.ts';
import { fromWire, schemaOf, withOwnNames, type Shape } from './shape.ts';

/** What one host is offered: the tools of a backend and its facets as tools. */
export interface Offer extends Pick<PluginPort, 'manifest' | 'call'> {
  /** The tool that takes the user's next input; undefined where the backend does not talk, or the dialect has a method for it. */
  readonly say: string | undefined;
  /** Whether a tool of this name is listed. */
  has(tool: string): boolean;
  /** Ends the session: another request came. */
  leave(): void;
}

export type Facet = NonNullable<Tool['facet']>;

const everyFacet: readonly Facet[] = ['extractor', 'planner', 'executor', 'talk'];

/**
 * The tools of the backend and one for each of its facets: `extract`, `create_plan`, `execute_task`, `validate_code`, `say`.
 * @param asTools the facets for which the dialect has no methods
 */
export function withFacetTools(backend: PluginPort, asTools: readonly Facet[] = everyFacet): Offer {
  const candidates = facetTools.filter(({ facet }) => asTools.includes(facet));
  const session = asTools.includes('talk') ? new KeptSession() : undefined;
  // Facets may come and go, so each of these looks at the backend as it is now.
  const offered = (): readonly Tool[] => {
    const own = backend.manifest.tools;
    const added = candidates.filter((facet) => facet.isIn(backend) && !has(own, facet.tool.name));
    return added.map(({ tool }) => tool);
  };
  const say = (): Tool | undefined =>
    session === undefined || backend.talk === undefined ? undefined : sayToolBeside(backend.manifest.tools);
  return {
    get manifest() {
      const { manifest } = backend;
      const sayTool = say();
      return {
        ...manifest,
        tools: [...manifest.tools, ...offered(), ...(sayTool === undefined ? [] : [sayTool])],
      };
    },
    get say() {
      return say()?.name;
    },
    has: (tool) => has(backend.manifest.tools, tool) || has(offered(), tool) || say()?.name === tool,
    call(request, sink) {
      const { talk } = backend;
      if (session === undefined || talk === undefined) return call(backend, candidates, request, sink);
      if (request.tool !== say()?.name) return call(backend, candidates, request, session.begin(sink));
      return sayTo(talk, session, request, sink);
    },
    leave: () => session?.leave(),
  };
}

function sayTo(talk: TalkPort, session: KeptSession, request: CallRequest, sink: CallSink): RunningCall {
  const read = fromWire(sayArguments, request.args, 'arguments', 'strict');
  if ('problem' in read) return refusedCall(misfit(request.tool, read.problem), sink);
  const sessionSink = session.say(sink);
  if ('code' in sessionSink) return refusedCall(sessionSink, sink);
  return talk.input(read.value.content, sessionSink, request);
}

/** The facets of a backend, or of a manifest. */
interface Facets {
  readonly extractor?: unknown;
  readonly planner?: unknown;
  readonly executor?: { readonly validateCode?: unknown } | undefined;
}

/**
 * The same list of tools for a plugin that is not running.
 * @param asTools as for `withFacetTools`
 */
export function toolsWithFacets(manifest: Manifest, asTools: readonly Facet[]): readonly Tool[] {
  const { tools, talks = false } = manifest;
  const added = facetTools.filter(({ facet, isIn }) => asTools.includes(facet) && isIn(manifest));
  const say = talks && asTools.includes('talk') ? [sayToolBeside(tools)] : [];
  return [...tools, ...added.map(({ tool }) => tool), ...say];
}

/**
 * Why a plugin cannot be offered like this; undefined when it can.
 * @param asTools as for `withFacetTools`
 */
export function facetCollision(
  backend: PluginPort,
  asTools: readonly Facet[] = everyFacet,
): string | undefined {
  const { name, tools } = backend.manifest;
  const taken = facetTools.find(
    ({ facet, isIn, tool }) => asTools.includes(facet) && isIn(backend) && has(tools, tool.name),
  );
  if (taken === undefined) return undefined;
  return `Plugin "${name}" has a tool "${taken.tool.name}", but in this dialect its ${taken.facet} has that name. Rename the tool.`;
}

interface FacetTool {
  readonly facet: Facet;
  readonly tool: Tool;
  readonly isIn: (facets: Facets) => boolean;
  /** Undefined when the backend does not have the facet. */
  readonly start: (backend: PluginPort, request: CallRequest, sink: CallSink) => RunningCall | undefined;
}

function facetTool<Request>(
  { facet, isIn, ...about }: Pick<FacetTool, 'facet' | 'isIn'> & Omit<Tool, 'inputSchema' | 'facet'>,
  wireRequest: Shape<Request>,
  begin: (backend: PluginPort, asked: Request, sink: CallSink, info: CallInfo) => RunningCall | undefined,
): FacetTool {
  const arguments_ = withOwnNames(wireRequest);
  return {
    facet,
    isIn,
    tool: { ...about, inputSchema: schemaOf(arguments_) },
    start(backend, request, sink) {
      const read = fromWire(arguments_, request.args, 'arguments', 'strict');
      if ('value' in read) return begin(backend, read.value, sink, request);
      return refusedCall(misfit(request.tool, read.problem), sink);
    },
  };
}

const facetTools: readonly FacetTool[] = [
  facetTool(
    {
      facet: 'extractor',
      name: 'extract',
      description: 'Extract text and metadata from a file.',
      hints: { readOnly: true },
      isIn: ({ extractor }) => extractor !== undefined,
    },
    extractRequest,
    ({ extractor }, { path, content, options = {}, ...type }, sink, info) => {
      const extension = type.extension ?? (extname(path) || undefined);
      const source =
        content === undefined
          ? ({ kind: 'path', path } as const)
          : ({ kind: 'bytes', bytes: Buffer.from(content, 'base64') } as const);
      return extractor?.extract({ source, type: defined({ ...type, extension }), options }, sink, info);
    },
  ),
  facetTool(
    {
      facet: 'planner',
      name: 'create_plan',
      description: 'Break a request of the user down into tasks.',
      isIn: ({ planner }) => planner !== undefined,
    },
    planRequest,
    ({ planner }, asked, sink, info) => planner?.createPlan(asked, sink, info),
  ),
  facetTool(
    {
      facet: 'executor',
      name: 'execute_task',
      description: 'Do one task, such as writing or changing code.',
      isIn: ({ executor }) => executor !== undefined,
    },
    taskRequest,
    ({ executor }, asked, sink, info) => executor?.executeTask(asked, sink, info),
  ),
  facetTool(
    {
      facet: 'executor',
      name: 'validate_code',
      description: 'Look for mistakes in code.',
      hints: { readOnly: true },
      isIn: ({ executor }) => executor?.validateCode !== undefined,
    },
    codeRequest,
    ({ executor }, asked, sink, info) => executor?.validateCode?.(asked, sink, info),
  ),
];

function call(
  backend: PluginPort,
  candidates: readonly FacetTool[],
  request: CallRequest,
  sink: CallSink,
): RunningCall {
  const facet = candidates.find(({ tool }) => tool.name === request.tool);
  if (facet?.isIn(backend) !== true || has(backend.manifest.tools, request.tool))
    return backend.call(request, sink);
  return facet.start(backend, request, sink) ?? backend.call(request, sink);
}

function misfit(tool: string, problem: string): CallFailure {
  return { code: 'INVALID_ARGUMENTS', message: sentence(`The arguments do not fit "${tool}": ${problem}`) };
}

function has(tools: readonly Tool[], name: string): boolean {
  return tools.some((tool) => tool.name === name);
}
