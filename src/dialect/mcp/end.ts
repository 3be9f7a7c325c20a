// The host's end of one MCP server that has introduced itself: calls, signs of life, and what the server says by itself.
import type { Client } from '@modelcontextprotocol/client';
import { PluglotError, toError } from '../../base/error.ts';
import { shown } from '../../base/shown.ts';
import type { Ending } from '../../channel/bytes/pipe.ts';
import type { PeerTrouble } from '../../channel/peer/options.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { Answer, CallRequest, CallSink } from '../../definition/outcome.ts';
import type { PluginLimits, PluginSpec } from '../../definition/plugin-spec.ts';
import { reasonGiven, withoutReason } from '../failure.ts';
import type {
  HostEnd,
  HostServices,
  PromptsFacet,
  ResourcesFacet,
  TalkFacet,
  WireCall,
} from '../host-dialect.ts';
import { givenUp, unexpected } from '../reply.ts';
import { talkBy } from '../say-tool.ts';
import { McpCall } from './call.ts';
import { callWithClient, type CallParams } from './client-calls.ts';
import { failureOf, startError } from './errors.ts';
import { promptsFacet, resourcesFacet } from './facets.ts';
import { LONGEST_MS, sayHello } from './hello.ts';
import { KnownTools } from './known-tools.ts';
import type { Line } from './line.ts';
import { manifestOf } from './manifest.ts';
import type { Ask } from './pages.ts';
import { Questions } from './questions.ts';
import { relay } from './relayed-questions.ts';
import { methods, notifications, readLog, readProgress, readToolResult } from './schema.ts';
import { readNews } from './server-words.ts';
import type { StraightCalls } from './straight-calls.ts';

/**
 * Says hello over a fresh line and learns the tools.
 * @throws PluglotError START_FAILED, PROTOCOL_VIOLATION, UNSUPPORTED_PROTOCOL or PIPE_ENDED; or why the signal gave the start up
 */
export async function openEnd(
  line: Line,
  spec: PluginSpec,
  limits: Required<PluginLimits>,
  services: HostServices,
): Promise<HostEnd> {
  const giveUp = () => line.close();
  services.signal.addEventListener('abort', giveUp, { once: true });
  const end = new McpEnd(line, spec, limits, services);
  try {
    services.signal.throwIfAborted();
    await end.start();
    return end;
  } catch (thrown) {
    const error = services.signal.aborted
      ? givenUp({ pluginName: spec.name, method: end.lastAsked }, toError(thrown), services.signal.reason)
      : startError(thrown, spec.name, line);
    line.close();
    throw error;
  } finally {
    services.signal.removeEventListener('abort', giveUp);
  }
}

class McpEnd implements HostEnd {
  manifest: Manifest;
  talk?: TalkFacet;
  resources?: ResourcesFacet;
  prompts?: PromptsFacet;
  /** Of the start. */
  lastAsked: string = methods.initialize;
  readonly #pluginName: string;
  readonly #line: Line;
  readonly #limits: Required<PluginLimits>;
  readonly #services: HostServices;
  #questions: Questions | undefined;
  /** Undefined where the client has to see to calls. */
  #straight: StraightCalls | undefined;
  readonly #tools: KnownTools;
  readonly #calls = new Map<number, McpCall>();
  #nextToken = 1;

  constructor(line: Line, spec: PluginSpec, limits: Required<PluginLimits>, services: HostServices) {
    this.#pluginName = spec.name;
    this.#line = line;
    this.#limits = limits;
    this.#services = services;
    this.#tools = new KnownTools(line, spec.name, services);
    this.manifest = { name: spec.name, version: 'unknown', dialect: 'mcp', tools: [], raw: {} };
  }

  async start(): Promise<void> {
    const { client, tap } = await sayHello(
      this.#line,
      this.#pluginName,
      this.#services,
      (method, params) => this.#notified(method, params),
      (...asked) => relay(this.#pluginName, [...this.#calls.values()], ...asked),
    );
    if (this.#line.kind === 'pipe' && client.getProtocolEra() !== 'modern') this.#straight = tap.straight;
    this.#questions = new Questions(client, this.#line, this.#pluginName, this.#services.clock);
    this.lastAsked = methods.listTools;
    const capabilities = client.getServerCapabilities() ?? {};
    const hasTools = capabilities.tools !== undefined;
    const tools = hasTools ? await this.#tools.learn(this.#askWithin()) : [];
    this.manifest = manifestOf(client, this.#pluginName, tools);
    const { talk } = talkBy(tools, (request, sink) => this.call(request, sink));
    if (talk !== undefined) this.talk = talk;
    const ports = {
      capabilities,
      pluginName: this.#pluginName,
      ask: this.#askWithin(this.#limits.callMs),
      trouble: (trouble: PeerTrouble) => this.#services.trouble(trouble),
    };
    if (capabilities.resources !== undefined) this.resources = resourcesFacet(ports);
    if (capabilities.prompts !== undefined) this.prompts = promptsFacet(ports);
    if (client.getProtocolEra() === 'modern' && capabilities.tools?.listChanged === true)
      this.#listen(client);
    this.#tools.follow(this.#askWithin(this.#limits.startMs));
  }

  get ended(): Promise<Ending> {
    return this.#line.ended;
  }

  call({ tool, args, trace, asker }: CallRequest, sink: CallSink): WireCall {
    const token = this.#nextToken;
    this.#nextToken += 1;
    const call = new McpCall(sink, asker, () => this.#calls.delete(token));
    this.#calls.set(token, call);
    const params: CallParams = {
      name: tool,
      arguments: args,
      _meta: trace === undefined ? { progressToken: token } : { progressToken: token, ...trace },
    };
    if (this.#straight !== undefined && this.#line.ending === undefined)
      this.#callStraight(this.#straight, params, call);
    else this.#callWithClient(params, call);
    return call;
  }

  #callStraight(straight: StraightCalls, params: CallParams, call: McpCall): void {
    const id = straight.call({ ...params }, (end) =>
      this.#end(
        params.name,
        call,
        'error' in end
          ? { ok: false, error: this.#failureOf(end.error) }
          : this.#answer(params.name, end.result),
      ),
    );
    call.whenGivenUp = (reason) => straight.giveUp(id, reason);
  }

  #callWithClient(params: CallParams, call: McpCall): void {
    const { name: tool } = params;
    const relaysQuestions = this.#services.relaysQuestions === true;
    const parts = { line: this.#line, tools: this.#tools, relaysQuestions };
    const asked = async () => callWithClient(this.#connected(), params, call, parts);
    void asked()
      .then(
        (result) => this.#answer(tool, result),
        (thrown: unknown): Answer => ({ ok: false, error: this.#failureOf(thrown) }),
      )
      .then((answer) => this.#end(tool, call, answer));
  }

  #end(tool: string, call: McpCall, answer: Answer): void {
    try {
      call.end(answer);
    } catch (thrown) {
      this.#threw(`whoever hears of "${tool}"`, thrown);
    }
  }

  /** Any answer is a sign of life: a refusal is one, and one that cannot be read. */
  async ping(limitMs: number): Promise<void> {
    try {
      const questions = this.#connected();
      const isModern = questions.client.getProtocolEra() === 'modern';
      await questions.request(isModern ? methods.discover : methods.ping, undefined, limitMs);
    } catch (thrown) {
      const { code, message, wireCode } = this.#failureOf(thrown);
      const isAnswer = wireCode !== undefined || code === 'INVALID_RESPONSE' || code === 'FRAME_TOO_LARGE';
      if (!isAnswer && this.#line.waitsForPerson !== true) throw new PluglotError(code, message);
    }
  }

  async shutdown(limitMs: number): Promise<void> {
    await this.#line.goodbye(limitMs);
  }

  close(): void {
    this.#line.close();
  }

  #answer(tool: string, value: unknown): Answer {
    const result = readToolResult(value);
    if (result === undefined) {
      const question = { pluginName: this.#pluginName, method: methods.callTool };
      const { code, message } = unexpected(question, value, '{ content: [ … ] }');
      return { ok: false, error: { code, message } };
    }
    const content = {
      ...(result.text === undefined ? {} : { text: result.text }),
      ...(result.data === undefined ? {} : { data: result.data }),
      ...(result.keepSession === true ? { keepSession: true } : {}),
    };
    if (result.failure !== undefined) return { ok: false, ...content, error: result.failure };
    if (result.failed) {
      const message = reasonGiven(result.text ?? `The tool "${tool}" failed and did not say why.`);
      const error = { code: 'TOOL_FAILED', message } as const;
      return { ok: false, ...withoutReason(content, error), error };
    }
    const problem = this.#tools.outputProblem(tool, result);
    if (problem === undefined) return { ok: true, ...content };
    return { ok: false, ...content, error: { code: 'PROTOCOL_VIOLATION', message: problem } };
  }

  #failureOf(thrown: unknown) {
    return failureOf(thrown, this.#pluginName, this.#line.ending);
  }

  #askWithin(limitMs?: number): Ask {
    return (method, params) => this.#connected().ask(method, params, limitMs);
  }

  #notified(method: string, params: unknown): boolean {
    switch (method) {
      case notifications.progress:
        this.#progress(params);
        return true;
      case notifications.log:
        this.#log(params);
        return true;
      case notifications.toolsChanged:
        this.#tools.changed();
        return true;
      case notifications.resourcesChanged:
      case notifications.promptsChanged:
      case notifications.resourceUpdated:
        return this.#news(method, params);
      default:
        return false;
    }
  }

  #news(method: string, params: unknown): boolean {
    const news = readNews(method, params);
    if (news === undefined) this.#nonsense(method, params);
    else this.#services.news?.(news);
    return true;
  }

  #progress(params: unknown): void {
    const progress = readProgress(params);
    if (progress === undefined) return this.#nonsense(notifications.progress, params);
    this.#calls.get(Number(progress.token))?.event(progress.event);
  }

  #log(params: unknown): void {
    const entry = readLog(params);
    if (entry === undefined) return this.#nonsense(notifications.log, params);
    // Nothing says to which call a log belongs: only where there is just one, it is that one's.
    const [call] = this.#calls.values();
    if (call === undefined || this.#calls.size > 1) this.#services.log(entry);
    else call.event({ kind: 'log', ...entry });
  }

  #nonsense(method: string, params: unknown): void {
    const text = shown(params, 500);
    this.#services.trouble({ kind: 'invalid', reason: `${method} says nothing`, text });
  }

  /** From 2026 on a server speaks of changes only to those who asked for it. */
  #listen(client: Client): void {
    client.listen({ toolsListChanged: true }, { timeout: LONGEST_MS }).catch((thrown: unknown) => {
      if (this.#line.ending === undefined) this.#threw('subscriptions/listen', thrown);
    });
  }

  /** There is nobody to ask before the hello. */
  #connected(): Questions {
    if (this.#questions !== undefined) return this.#questions;
    throw new PluglotError('PIPE_ENDED', `Plugin "${this.#pluginName}" has not introduced itself yet.`);
  }

  #threw(where: string, thrown: unknown): void {
    this.#services.trouble({ kind: 'thrown', where, error: toError(thrown) });
  }
}
