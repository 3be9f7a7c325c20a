// The author's side of MCP: a server on stdio. It needs no package of others, so that a plugin loads nothing else.
import { PluglotError, toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { lines } from '../../channel/frame/lines.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { RunningCall, ServedPort } from '../../definition/plugin-port.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { Answer, CallEvent, CallFailure, CallSink } from '../../definition/outcome.ts';
import { AuthorLife, AuthorSetup, backendAnswer, hostPeer, notServed } from '../author-base.ts';
import type { AuthorDialect, AuthorServices, Served } from '../author-dialect.ts';
import { facetCollision, withFacetTools } from '../facet-tools.ts';
import { reasonGiven, unanswered } from '../failure.ts';
import { CallProgress, toolResult, wireTools } from './server-tools.ts';
import { pageOf, readObject, readText } from './client-requests.ts';
import { methods } from './schema.ts';
import { type McpRequest, wireLevelOf } from './server-request.ts';
import { type McpOffer, McpServer, ServerCancellation } from './server.ts';
import {
  commandOf,
  completion,
  promptArguments,
  promptResult,
  promptsOf,
  wirePrompt,
} from './server-prompts.ts';

export const mcpAuthor: AuthorDialect = { name: 'mcp', serve };

function serve(pipe: Pipe, backend: ServedPort, services: AuthorServices): Served {
  const collision = facetCollision(backend);
  if (collision !== undefined) return notServed(collision, backend, services);
  const cancel = new ServerCancellation();
  const peer = hostPeer(pipe, lines(), services, { cancel });
  const server = new McpServer(peer, pluginOffer(backend, peer, services.config), cancel);
  const life = new AuthorLife(peer, backend);
  return {
    log(entry) {
      if (!server.log(entry)) services.print(`${entry.level}: ${entry.message}`);
    },
    over: life.over,
    close() {
      // What is open for as long as there is a server would have to be waited for.
      server.close();
      void life.close();
    },
  };
}

/** Its tools, and its commands as prompts. */
function pluginOffer(backend: ServedPort, peer: Peer, config: JsonObject | undefined): McpOffer {
  const offer = withFacetTools(backend);
  const setup = new AuthorSetup(backend, config);

  async function callTool(params: JsonObject, request: McpRequest): Promise<JsonObject> {
    const tool = readText(params, 'name');
    const args = readObject(params, 'arguments');
    const answer = await run(request, (sink) =>
      offer.call({ tool, args, timeoutMs: Infinity, dialect: 'mcp' }, sink),
    );
    // The same number as for wrong arguments: the text differs.
    if (!answer.ok && answer.error.code === 'UNKNOWN_TOOL')
      throw new RpcError(standardErrors.invalidParams.code, `Unknown tool: ${tool}`);
    const { manifest, say } = offer;
    return toolResult(
      answer,
      manifest.tools.find(({ name }) => name === tool),
      say,
    );
  }

  async function getPrompt(params: JsonObject, request: McpRequest): Promise<JsonObject> {
    const command = commandOf(readText(params, 'name'), backend);
    const args = promptArguments(params);
    const answer = await run(request, (sink) => {
      const call = { tool: command.name, args, timeoutMs: Infinity, dialect: 'mcp' as const };
      return backend.commands?.run(call, sink) ?? backend.call(call, sink);
    });
    return promptResult(answer, command);
  }

  async function run(request: McpRequest, start: (sink: CallSink) => RunningCall): Promise<Answer> {
    try {
      await setup.ready();
    } catch (thrown) {
      return { ok: false, error: notReady(thrown) };
    }
    const { progressToken: token } = request;
    const progress = token === undefined ? undefined : new CallProgress(token, request);
    const event = (event: CallEvent) => {
      if (event.kind !== 'log') return progress?.event(event);
      const { level, message, data } = event;
      request.sendLog(wireLevelOf[level], data === undefined ? message : { message, data });
    };
    return backendAnswer(request.context, event, start, () => peer.drained());
  }

  return {
    describe: () => descriptionOf(offer.manifest),
    async prepare() {
      try {
        await setup.handshake();
      } catch (thrown) {
        throw new RpcError(standardErrors.internalError.code, reasonGiven(toError(thrown).message));
      }
    },
    methods: {
      [methods.listTools]: (params) => pageOf('tools', wireTools(offer.manifest), params),
      [methods.callTool]: callTool,
      [methods.listPrompts]: (params) =>
        pageOf('prompts', promptsOf(backend.manifest).map(wirePrompt), params),
      [methods.getPrompt]: getPrompt,
      [methods.complete]: (params) => completion(params, backend),
    },
    onChanged: (listener) =>
      backend.onManifestChanged(() => {
        listener('tools');
        if ((backend.manifest.commands ?? []).length > 0) listener('prompts');
      }),
  };
}

function descriptionOf(manifest: Manifest): ReturnType<McpOffer['describe']> {
  const { name, version, description, instructions } = manifest;
  const prompts = promptsOf(manifest).length === 0 ? {} : { prompts: { listChanged: true }, completions: {} };
  return {
    serverInfo: { name, version, ...(description === undefined ? {} : { description }) },
    capabilities: { tools: { listChanged: true }, logging: {}, ...prompts },
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** It is the configuration that does not fit then, not the arguments of the call. */
function notReady(thrown: unknown): CallFailure {
  const failure = unanswered(thrown);
  const isMisfit = thrown instanceof PluglotError && thrown.code === 'INVALID_ARGUMENTS';
  return isMisfit ? { ...failure, code: 'NOT_INITIALIZED' } : failure;
}
