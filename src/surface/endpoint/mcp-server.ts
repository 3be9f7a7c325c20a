// One MCP server of the official package for one connection, or since 2026 for one request: all that a client asks ends here.
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type jsonSchemaValidator,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Caller } from '../../definition/caller.ts';
import type { PluginContent } from '../../gate/plugin-content.ts';
import { CallDesk } from './call-desk.ts';
import { officialRequest } from './client-request.ts';
import { RESULT_URI } from './result.ts';
import { searchTools } from './search.ts';
import { isLogLevel, type Connection, type Serving } from './connection.ts';
import { textOf, textsOf, wireError } from './params.ts';
import type { PassedPrompt } from './passed-prompts.ts';
import { listed } from './view.ts';

/** More make another page. */
const PAGE = 1000;

export interface McpServer {
  readonly server: Server;
  /** For calls that come past it. */
  readonly desk: CallDesk;
}

export function mcpServer(serving: Serving, connection: Connection): McpServer {
  const { view, prompts, resources } = connection.things;
  const { instructions } = view;
  const server = new Server(
    { name: 'pluglot', version: serving.version, title: 'pluglot' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        logging: {},
        completions: {},
      },
      ...(instructions === undefined ? {} : { instructions }),
      inputRequired: { legacyShim: false },
      jsonSchemaValidator: unchecked,
    },
  );
  const desk = new CallDesk(serving, connection);
  type Answer = (params: JsonObject, context: ServerContext) => Promise<Json> | Json;
  /** Results are JSON that others made; the package looks at it before it is sent. */
  const onCall = (method: Parameters<Server['setRequestHandler']>[0], answer: Answer) =>
    server.setRequestHandler(method as 'ping', async (request: { params?: unknown }, context) => {
      const params = isJsonObject(request.params) ? request.params : {};
      try {
        return (await connection.answer(() => answer(params, context))) as object;
      } catch (thrown) {
        throw wireError(thrown);
      }
    });
  const on = (method: Parameters<typeof onCall>[0], answer: Answer) =>
    onCall(method, (...asked) => {
      const answered = answer(...asked);
      return answered instanceof Promise ? connection.whileItLasts(answered) : answered;
    });

  on('tools/list', ({ cursor }) => {
    const { tools } = view;
    if (view.searches) return { tools: searchTools(tools.length) };
    const from = startOf(cursor, tools.length);
    const page = tools.slice(from, from + PAGE).map((tool) => listed(tool));
    return { tools: page, ...(from + PAGE < tools.length ? { nextCursor: String(from + PAGE) } : {}) };
  });
  onCall('tools/call', (params, context) =>
    desk.callTool(params, officialRequest(server, connection, context)),
  );
  on('resources/list', async () => ({ resources: (await resources.list()).resources }));
  on('resources/templates/list', async () => ({ resourceTemplates: (await resources.list()).templates }));
  onCall('resources/read', ({ uri }, context) => {
    const address = textOf(uri, 'uri');
    const request = officialRequest(server, connection, context);
    if (address.startsWith(RESULT_URI))
      return connection.whileItLasts(serving.readResult(address, connection.caller(request.client.name)));
    return resources.read(address, (content) => desk.getContent(content, {}, request));
  });
  onCall('resources/subscribe', async ({ uri }, context) => {
    const address = textOf(uri, 'uri');
    const resource = await connection.whileItLasts(resources.find(address));
    const { client } = officialRequest(server, connection, context);
    const caller = connection.caller(client.name);
    if (resource !== undefined && !(await serving.gate.mayHave(resources.contentOf(resource), {}, caller)))
      throw new PluglotError(
        'PERMISSION_DENIED',
        `Permission denied: no rule allows to follow "${address.slice(0, 200)}", and only reading it is asked about.`,
      );
    await connection.whileItLasts(connection.subscribe(address));
    return {};
  });
  on('resources/unsubscribe', async ({ uri }) => {
    await connection.unsubscribe(textOf(uri, 'uri'));
    return {};
  });
  on('prompts/list', async () => ({ prompts: (await prompts.list()).prompts }));
  onCall('prompts/get', async (params, context) => {
    const name = textOf(params['name'], 'name');
    const prompt = await connection.whileItLasts(prompts.find(name));
    const request = officialRequest(server, connection, context);
    if (prompt === undefined) return desk.refusePrompt(name, params, request);
    if (prompt.kind === 'command') return desk.runCommand(prompt.offered, params, request);
    const args = textsOf(params['arguments']);
    return desk.getContent(prompts.contentOf(prompt, args), args, request);
  });
  onCall('completion/complete', (params, context) => {
    const { client } = officialRequest(server, connection, context);
    return connection.whileItLasts(completed(params, serving, connection, connection.caller(client.name)));
  });
  on('logging/setLevel', ({ level }) => {
    // The package refuses others.
    if (isLogLevel(level)) connection.logLevel = level;
    return {};
  });
  return { server, desk };
}

/** Where a page begins. @throws ProtocolError -32602 for what no page gave as the next one */
function startOf(cursor: Json | undefined, count: number): number {
  if (cursor === undefined) return 0;
  const from = typeof cursor === 'string' && /^\d{1,9}$/.test(cursor) ? Number(cursor) : 0;
  if (from > 0 && from % PAGE === 0 && from < count) return from;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Invalid params: the cursor is not one that a page gave. Ask without it for the first page.',
  );
}

/** Answers of clients are looked at by whoever asked; the usual one costs more to make than most requests. */
const unchecked: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }), // of any type
};

const NOTHING: JsonObject = { completion: { values: [], hasMore: false } };
const COMPLETIONS_MAX = 100;

/** What a plugin would have to be asked for which may not be had completes nothing. */
async function completed(
  params: JsonObject,
  serving: Serving,
  { things: { resources, prompts } }: Connection,
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
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${JSON.stringify(name)}.`);
}
