#!/usr/bin/env node
// The tools, resources and prompts that the MCP conformance suite asks for, on the official server package alone: on stdio as a plugin,
// or with `--http` by itself on a port that it prints.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createMcpHandler, inputRequired, isLegacyRequest, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

/** @typedef {import('@modelcontextprotocol/server').ServerContext} Context */
/** @typedef {import('@modelcontextprotocol/server').CallToolResult} Result */
/** @typedef {Record<string, unknown>} Params */

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAA';

const object = /** @type {const} */ ({ type: 'object' });
/** @param {string} words @returns {Result} */
const text = (words) => ({ content: [{ type: 'text', text: words }] });
/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asked of the client: at once before 2026, in place of a result since. */
class Asked extends Error {
  /** @param {string} method @param {Params} params */
  constructor(method, params) {
    super(method);
    this.request = { method, params };
  }
}

const anything = /** @type {const} */ ({
  '~standard': {
    version: 1,
    vendor: 'fixture',
    validate: (/** @type {unknown} */ value) => ({ value: /** @type {Params} */ (value) }),
  },
});

/** @param {Context} context @param {boolean} isModern @param {string} method @param {Params} params @returns {Promise<Params>} */
async function ask({ mcpReq }, isModern, method, params) {
  if (!isModern) return /** @type {Params} */ (await mcpReq.send({ method, params }, anything));
  const given = mcpReq.inputResponses?.['asked'];
  if (given === undefined) throw new Asked(method, params);
  return /** @type {Params} */ (given);
}

const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const titled = [1, 2, 3].map((n) => ({ const: `value${n}`, title: `Option ${n}` }));
const enums = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: { type: 'array', items: { anyOf: titled } },
};
const person = {
  username: { type: 'string', description: "User's response" },
  email: { type: 'string', description: "User's email address" },
};

/** @type {Record<string, { input?: object, run(args: Params, context: Context, isModern: boolean): Promise<Result> | Result }>} */
const tools = {
  test_simple_text: { run: () => text('This is a simple text response for testing.') },
  test_image_content: { run: () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] }) },
  test_audio_content: { run: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }) },
  test_embedded_resource: {
    run: () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
  },
  test_multiple_content_types: {
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: '{"test":"data","value":123}',
          },
        },
      ],
    }),
  },
  test_tool_with_logging: {
    async run(_, { mcpReq }) {
      await mcpReq.log('info', 'Tool execution started');
      await pause(50);
      await mcpReq.log('info', 'Tool processing data');
      await pause(50);
      await mcpReq.log('info', 'Tool execution completed');
      return text('Tool with logging executed successfully');
    },
  },
  test_tool_with_progress: {
    async run(_, { mcpReq }) {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 100 },
          });
        await pause(50);
      }
      return text('Progress was reported');
    },
  },
  test_error_handling: {
    run: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  },
  test_sampling: {
    input: { ...object, properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    async run({ prompt }, context, isModern) {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
      const answer = await ask(context, isModern, 'sampling/createMessage', { messages, maxTokens: 100 });
      const content = /** @type {{ text?: string }} */ (answer['content']);
      return text(`LLM response: ${content.text ?? 'No response'}`);
    },
  },
  test_elicitation: {
    input: { ...object, properties: { message: { type: 'string' } }, required: ['message'] },
    async run({ message }, context, isModern) {
      const requestedSchema = { ...object, properties: person, required: ['username', 'email'] };
      const answer = await ask(context, isModern, 'elicitation/create', { message, requestedSchema });
      return text(
        `User response: action=${String(answer['action'])}, content=${JSON.stringify(answer['content'])}`,
      );
    },
  },
  test_elicitation_sep1034_defaults: {
    async run(_, context, isModern) {
      const requestedSchema = { ...object, properties: defaults, required: [] };
      const answer = await ask(context, isModern, 'elicitation/create', {
        message: 'Look at these',
        requestedSchema,
      });
      return text(
        `Elicitation completed: action=${String(answer['action'])}, content=${JSON.stringify(answer['content'])}`,
      );
    },
  },
  test_elicitation_sep1330_enums: {
    async run(_, context, isModern) {
      const requestedSchema = { ...object, properties: enums, required: [] };
      const answer = await ask(context, isModern, 'elicitation/create', {
        message: 'Choose',
        requestedSchema,
      });
      return text(
        `Elicitation completed: action=${String(answer['action'])}, content=${JSON.stringify(answer['content'])}`,
      );
    },
  },
  test_roots: {
    async run(_, context, isModern) {
      return text(JSON.stringify(await ask(context, isModern, 'roots/list', {})));
    },
  },
  test_wait: {
    run: (_, { mcpReq }) =>
      new Promise((resolve) => {
        void mcpReq.log('info', 'waiting');
        mcpReq.signal.addEventListener('abort', () => {
          process.stderr.write('cancelled\n');
          resolve(text('cancelled'));
        });
      }),
  },
  json_schema_2020_12_tool: {
    input: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      ...object,
      $defs: {
        address: { ...object, properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    run: ({ name }) => text(`Hello ${String(name)}`),
  },
};

/** @type {Record<string, { mimeType: string, text?: string, blob?: string }>} */
const resources = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched' },
};

const userMessage = (/** @type {string} */ words) => ({
  role: 'user',
  content: { type: 'text', text: words },
});
/** @type {Record<string, { arguments?: object[], get(args: Record<string, string>): object[] }>} */
const prompts = {
  test_simple_prompt: { get: () => [userMessage('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'].map((name) => ({ name, description: `${name} of the test`, required: true })),
    get: ({ arg1, arg2 }) => [userMessage(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
    get: ({ resourceUri }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: {
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
      },
      userMessage('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: {
    get: () => [
      { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
      userMessage('Please analyze the image above.'),
    ],
  },
};

/** @param {boolean} isModern */
function fixtureServer(isModern) {
  const server = new Server(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: Object.entries(tools).map(([name, { input }]) => ({
      name,
      description: `The tool ${name} of the suite`,
      inputSchema: /** @type {typeof object} */ (input ?? object),
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools[params.name];
    if (tool === undefined) return { ...text(`No tool ${params.name}`), isError: true };
    try {
      return await tool.run(params.arguments ?? {}, context, isModern);
    } catch (error) {
      if (error instanceof Asked)
        return inputRequired({ inputRequests: { asked: /** @type {never} */ (error.request) } });
      return { ...text(String(error)), isError: true };
    }
  });
  server.setRequestHandler('resources/list', () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
    ],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const known = resources[uri];
    if (known !== undefined)
      return { contents: [/** @type {{ uri: string, text: string }} */ ({ uri, ...known })] };
    const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
    if (id === undefined) throw new Error(`Resource not found: ${uri}`);
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: 'application/json', text: data }] };
  });
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    setTimeout(() => void server.sendResourceUpdated({ uri }).catch(() => {}), 10);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([name, { arguments: args }]) => ({
      name,
      description: `The prompt ${name} of the suite`,
      ...(args && { arguments: /** @type {{ name: string }[]} */ (args) }),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = prompts[params.name];
    if (prompt === undefined) throw new Error(`Prompt not found: ${params.name}`);
    return { messages: /** @type {never[]} */ (prompt.get(params.arguments ?? {})) };
  });
  server.setRequestHandler('completion/complete', ({ params }) => ({
    completion: {
      values: ['paris', 'park', 'party'].filter((word) => word.startsWith(params.argument.value)),
      hasMore: false,
    },
  }));
  return server;
}

async function serveHttp() {
  const {
    NodeStreamableHTTPServerTransport,
    localhostHostValidation,
    localhostOriginValidation,
    toNodeHandler,
    toWebRequest,
  } = await import('@modelcontextprotocol/node');
  const isHost = localhostHostValidation();
  const isOrigin = localhostOriginValidation();
  const modern = toNodeHandler(createMcpHandler(() => fixtureServer(true), { legacy: 'reject' }));
  /** @type {Map<string, import('@modelcontextprotocol/node').NodeStreamableHTTPServerTransport>} */
  const sessions = new Map();
  /** @param {import('node:http').IncomingMessage} request @returns {Promise<unknown>} */
  const bodyOf = async (request) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    return body === '' ? undefined : /** @type {unknown} */ (JSON.parse(body));
  };
  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  const answer = async (request, response) => {
    if (!isHost(request, response) || !isOrigin(request, response)) return;
    const body = await bodyOf(request);
    const node = /** @type {import('@modelcontextprotocol/node').NodeIncomingMessageLike} */ (request);
    if (!(await isLegacyRequest(await toWebRequest(node, body), body))) return modern(node, response, body);
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known !== undefined) return known.handleRequest(request, response, body);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await fixtureServer(false).connect(transport);
    return transport.handleRequest(request, response, body);
  };
  const http = createServer((request, response) => void answer(request, response));
  http.listen(0, '127.0.0.1', () => {
    const address = /** @type {import('node:net').AddressInfo} */ (http.address());
    process.stdout.write(`http://127.0.0.1:${address.port}/mcp\n`);
  });
}

if (process.argv.includes('--http')) await serveHttp();
else
  serveStdio(({ era }) => {
    const server = fixtureServer(era === 'modern');
    // No handler learns of a subscription of 2026-07-28: the package passes on what belongs to one.
    const update = () => void server.sendResourceUpdated({ uri: 'test://watched-resource' }).catch(() => {});
    if (era === 'modern') setInterval(update, 50).unref();
    return server;
  });
