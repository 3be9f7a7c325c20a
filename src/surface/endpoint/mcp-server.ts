// One MCP server of the official package for one connection, or since 2026 for one request: all that a client asks ends here.
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type jsonSchemaValidator,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { wireTool } from '../../dialect/mcp/server-tools.ts';
import { CallDesk } from './call-desk.ts';
import { officialRequest } from './client-request.ts';
import { RESULT_URI } from './result.ts';
import { searchTools } from './search.ts';
import { isLogLevel, type Connection, type Serving } from './connection.ts';
import { textOf, textsOf, wireError } from './params.ts';
import type { PassedPrompt } from './passed-prompts.ts';

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
    const from = typeof cursor === 'string' ? Number(cursor) || 0 : 0;
    const page = tools.slice(from, from + PAGE).map(({ name, tool }) => wireTool({ ...tool, name }));
    return { tools: page, ...(from + PAGE < tools.length ? { nextCursor: String(from + PAGE) } : {}) };
  });
  onCall('tools/call', (params, context) =>
    desk.callTool(params, officialRequest(server, connection, context)),
  );
  on('resources/list', async () => ({ resources: (await resources.list()).resources }));
  on('resources/templates/list', async () => ({ resourceTemplates: (await resources.list()).templates }));
  on('resources/read', ({ uri }) => {
    const address = textOf(uri, 'uri');
    return address.startsWith(RESULT_URI) ? serving.readResult(address) : resources.read(address);
  });
  on('resources/subscribe', async ({ uri }) => {
    await connection.subscribe(textOf(uri, 'uri'));
    return {};
  });
  on('resources/unsubscribe', async ({ uri }) => {
    await connection.unsubscribe(textOf(uri, 'uri'));
    return {};
  });
  on('prompts/list', async () => ({ prompts: (await prompts.list()).prompts }));
  onCall('prompts/get', async (params, context) => {
    const name = textOf(params['name'], 'name');
    const prompt = known(await connection.whileItLasts(prompts.find(name)), name);
    return prompt.kind === 'command'
      ? desk.runCommand(prompt.command, params, officialRequest(server, connection, context))
      : connection.whileItLasts(prompts.get(prompt, textsOf(params['arguments'])));
  });
  on('completion/complete', (params) => completed(params, serving, connection));
  on('logging/setLevel', ({ level }) => {
    // The package refuses others.
    if (isLogLevel(level)) connection.logLevel = level;
    return {};
  });
  return { server, desk };
}

/** Answers of clients are looked at by whoever asked; the usual one costs more to make than most requests. */
const unchecked: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }), // of any type
};

const NOTHING: JsonObject = { completion: { values: [], hasMore: false } };
const COMPLETIONS_MAX = 100;

async function completed(params: JsonObject, serving: Serving, { things }: Connection): Promise<Json> {
  const { ref, argument } = params;
  const { type, name, uri } = isJsonObject(ref) ? ref : {};
  if (type === 'ref/resource')
    return (await things.resources.complete(params, textOf(uri, 'ref.uri'))) ?? NOTHING;
  const prompt = known(await things.prompts.find(textOf(name, 'ref.name')), name);
  if (prompt.kind === 'prompt') return (await things.prompts.complete(prompt, params)) ?? NOTHING;
  const { name: parameter, value } = isJsonObject(argument) ? argument : {};
  const found = serving.registry.resolveCommand(prompt.command.name);
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
