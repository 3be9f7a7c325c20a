// Resources and prompts of a server, passed through as they came.
import { PluglotError } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { PromptsFacet, ResourcesFacet } from '../host-dialect.ts';
import { allPages, type Ask, type Trouble } from './pages.ts';
import { methods } from './schema.ts';

export interface FacetPorts {
  /** What the server can do, as it told. */
  readonly capabilities: {
    readonly completions?: unknown;
    readonly resources?: { readonly subscribe?: unknown } | undefined;
  };
  readonly pluginName: string;
  readonly ask: Ask;
  readonly trouble: Trouble;
}

export function resourcesFacet(ports: FacetPorts): ResourcesFacet {
  return {
    list: async () => ({
      resources: await list(ports, methods.listResources, 'resources'),
      resourceTemplates: await templates(ports),
    }),
    read: (uri) => passOn(ports, methods.readResource, { uri }),
    ...(ports.capabilities.resources?.subscribe === true && {
      subscribe: async (uri) => void (await passOn(ports, methods.subscribe, { uri })),
      unsubscribe: async (uri) => void (await passOn(ports, methods.unsubscribe, { uri })),
    }),
    ...completing(ports),
  };
}

export function promptsFacet(ports: FacetPorts): PromptsFacet {
  return {
    list: async () => ({ prompts: await list(ports, methods.listPrompts, 'prompts') }),
    get: (name, args) => passOn(ports, methods.getPrompt, { name, arguments: args }),
    ...completing(ports),
  };
}

function completing(ports: FacetPorts): Pick<PromptsFacet, 'complete'> {
  if (ports.capabilities.completions === undefined) return {};
  return { complete: (params) => passOn(ports, methods.complete, params) };
}

/** Many servers with resources know nothing of templates. */
async function templates(ports: FacetPorts): Promise<readonly Json[]> {
  try {
    return await list(ports, methods.listResourceTemplates, 'resourceTemplates');
  } catch (thrown) {
    if (thrown instanceof PluglotError && thrown.code === 'UNSUPPORTED') return [];
    throw thrown;
  }
}

function list(
  { pluginName, ask, trouble }: FacetPorts,
  method: string,
  key: string,
): Promise<readonly Json[]> {
  return allPages(method, key, pluginName, ask, trouble);
}

async function passOn({ ask }: FacetPorts, method: string, params: JsonObject): Promise<Json> {
  return (await ask(method, params)) as Json; // it came as JSON
}
