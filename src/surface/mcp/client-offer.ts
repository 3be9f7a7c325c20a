// What one connection is offered of all plugins: tools, resources, prompts and completions, each through the gate.
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { Caller } from '../../definition/caller.ts';
import { methods } from '../../dialect/mcp/schema.ts';
import { pageOf } from '../../dialect/mcp/client-requests.ts';
import type { McpRequest } from '../../dialect/mcp/server-request.ts';
import type { McpOffer, ServerMethod } from '../../dialect/mcp/server.ts';
import type { PluginContent } from '../../gate/plugin-content.ts';
import { ClientCalls } from './client-calls.ts';
import type { Connection, SharedServing } from './connection.ts';
import { textOf, textsOf, wireError } from './params.ts';
import type { PassedPrompt } from './passed-facets.ts';
import { RESULT_URI } from './client-call.ts';
import { searchTools } from './search.ts';
import { listed } from './view.ts';

/** More tools make another page. */
const PAGE = 1000;

export function clientOffer(
  serving: SharedServing,
  connection: Connection,
): Pick<McpOffer, 'describe' | 'methods'> {
  const { view, prompts, resources } = connection.content;
  const calls = new ClientCalls(serving, connection);
  const callerOf = ({ client }: McpRequest) => connection.caller(client.name);

  async function subscribe({ uri }: JsonObject, request: McpRequest): Promise<Json> {
    const address = textOf(uri, 'uri');
    const resource = await connection.untilEnded(resources.find(address));
    const isAllowed = (content: PluginContent) => serving.gate.mayHave(content, {}, callerOf(request));
    if (resource !== undefined && !(await isAllowed(resources.contentOf(resource))))
      throw new PluglotError(
        'PERMISSION_DENIED',
        `Permission denied: no rule allows to follow "${address.slice(0, 200)}", and only reading it is asked about.`,
      );
    await connection.untilEnded(connection.subscribe(address));
    return {};
  }

  function readResource({ uri }: JsonObject, request: McpRequest): Promise<Json> {
    const address = textOf(uri, 'uri');
    const caller = callerOf(request);
    if (address.startsWith(RESULT_URI)) return connection.untilEnded(serving.readResult(address, caller));
    return resources.read(address, {
      get: (content) => calls.getContent(content, {}, request),
      isAllowed: (content) => serving.gate.mayHave(content, {}, caller),
    });
  }

  async function getPrompt(params: JsonObject, request: McpRequest): Promise<Json> {
    const name = textOf(params['name'], 'name');
    const prompt = await connection.untilEnded(prompts.find(name));
    if (prompt === undefined) return calls.refusePrompt(name, params, request);
    if (prompt.kind === 'command') return calls.runCommand(prompt.offered, params, request);
    const args = textsOf(params['arguments']);
    return calls.getContent(prompts.contentOf(prompt, args), args, request);
  }

  /** Ends with the connection. A call has its own way to end. */
  const lasting =
    (answer: ServerMethod): ServerMethod =>
    async (params, request) =>
      connection.untilEnded(Promise.resolve(answer(params, request)));

  const table: Readonly<Record<string, ServerMethod>> = {
    [methods.listTools]: (params) =>
      view.searches
        ? { tools: searchTools(view.tools.length) }
        : pageOf(
            'tools',
            view.tools.map((tool) => listed(tool)),
            params,
            PAGE,
          ),
    [methods.callTool]: (params, request) => calls.callTool(params, request),
    [methods.listResources]: lasting(async () => ({ resources: (await resources.list()).resources })),
    [methods.listResourceTemplates]: lasting(async () => ({
      resourceTemplates: (await resources.list()).templates,
    })),
    [methods.readResource]: readResource,
    [methods.subscribe]: subscribe,
    [methods.unsubscribe]: async ({ uri }) => {
      await connection.unsubscribe(textOf(uri, 'uri'));
      return {};
    },
    [methods.listPrompts]: lasting(async () => ({ prompts: (await prompts.list()).prompts })),
    [methods.getPrompt]: getPrompt,
    [methods.complete]: lasting((params, request) =>
      completed(params, serving, connection, callerOf(request)),
    ),
  };
  return {
    describe: () => describe(serving.version, view.instructions),
    methods: Object.fromEntries(
      Object.entries(table).map(([name, answer]) => [name, answeredBy(connection, answer)]),
    ),
  };
}

/** The connection waits for its answers when it is closed. */
function answeredBy(connection: Connection, answer: ServerMethod): ServerMethod {
  return async (params, request) => {
    try {
      return await connection.answer(() => answer(params, request));
    } catch (thrown) {
      throw wireError(thrown);
    }
  };
}

function describe(version: string, instructions: string | undefined): ReturnType<McpOffer['describe']> {
  return {
    serverInfo: { name: 'pluglot', version, title: 'pluglot' },
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      logging: {},
      completions: {},
    },
    ...(instructions === undefined ? {} : { instructions }),
  };
}

const NOTHING: JsonObject = { completion: { values: [], hasMore: false } };
const COMPLETIONS_MAX = 100;

/** Where a plugin would have to be asked for content that the caller may not have, nothing is completed. */
async function completed(
  params: JsonObject,
  serving: SharedServing,
  { content: { resources, prompts } }: Connection,
  caller: Caller,
): Promise<Json> {
  const { ref, argument } = params;
  const { type, name, uri } = isJsonObject(ref) ? ref : {};
  const mayHave = (content: PluginContent) => serving.gate.mayHave(content, {}, caller);
  if (type === 'ref/resource') {
    const template = textOf(uri, 'ref.uri');
    const found = await resources.findTemplate(template);
    if (found === undefined || !(await mayHave(resources.contentOf(found)))) return NOTHING;
    return (await resources.complete(params, template)) ?? NOTHING;
  }
  const prompt = known(await prompts.find(textOf(name, 'ref.name')), name);
  if (prompt.kind === 'prompt') {
    if (!(await mayHave(prompts.contentOf(prompt, {})))) return NOTHING;
    return (await prompts.complete(prompt, params)) ?? NOTHING;
  }
  const { name: parameter, value } = isJsonObject(argument) ? argument : {};
  const found = serving.registry.resolveCommand(prompt.offered.command.name);
  const values =
    (await found?.complete(textOf(parameter, 'argument.name'), textOf(value, 'argument.value'))) ?? [];
  return {
    completion: {
      values: values.slice(0, COMPLETIONS_MAX),
      total: values.length,
      hasMore: values.length > COMPLETIONS_MAX,
    },
  };
}

function known(prompt: PassedPrompt | undefined, name: unknown): PassedPrompt {
  if (prompt !== undefined) return prompt;
  throw new RpcError(standardErrors.invalidParams.code, `There is no prompt ${JSON.stringify(name)}.`);
}
