// One route per endpoint of the table. A handler gets what was asked and returns the result, or answers by itself.
import { randomBytes } from 'node:crypto';
import { defined } from '../../base/json.ts';
import { isOwner, type Caller } from '../../definition/caller.ts';
import type { KeptRecord } from '../../fleet/plugin/logs/log-book.ts';
import type { Talk } from '../../fleet/plugin/talk.ts';
import { approvalOf } from '../../gate/approval/approval-of.ts';
import { endpoints, type ApiCallOptions, type ConsoleLink, type PluginDetails } from '../../runtime/api.ts';
import { knownFields, mismatch } from '../../runtime/api-form.ts';
import type { Schema } from '../../runtime/api-schema.ts';
import {
  endpointOf,
  type BodyOf,
  type EndpointId,
  type ParamsOf,
  type QueryOf,
  type ResultOf,
} from '../../runtime/endpoint.ts';
import { isOpen } from './access.ts';
import type { Exchange } from './exchange.ts';
import { followEvents } from './follow-events.ts';
import { metricsText, type MetricParts } from './metrics.ts';
import { isTheirs } from './open-work.ts';
import { badRequest, HttpProblem, notFound } from './problem.ts';
import type { Route } from './router.ts';

export interface ApiRouteParts extends MetricParts {
  readonly maxTalks: number;
  /** Of the console that this server has. @default that of the api */
  readonly consoleLink?: (() => ConsoleLink) | undefined;
}

interface Asked<Id extends EndpointId> {
  readonly params: ParamsOf<Id>;
  readonly query: QueryOf<Id>;
  /** Reads the body, as the table says. @throws HttpProblem 400, 408, 413 or 415 */
  readonly body: () => Promise<BodyOf<Id>>;
  readonly exchange: Exchange;
}

/** What a handler resolves with where it has answered itself. */
const ANSWERED = { isAnswered: true } as const;

type Answered = typeof ANSWERED;

type Handler<Id extends EndpointId> = (
  asked: Asked<Id>,
) => Promise<ResultOf<Id> | Answered> | ResultOf<Id> | Answered;

type Handlers = { readonly [Id in EndpointId]: Handler<Id> };

export function apiRoutes(parts: ApiRouteParts): Route[] {
  const handlers = handlersOf(parts);
  return (Object.keys(endpoints) as EndpointId[]).map((id): Route => {
    const { method, path, needs, query = {}, body, type = 'text/plain', status = 200 } = endpointOf(id);
    // The table decides which handler fits which endpoint; here they are all alike.
    const handler = handlers[id] as (asked: unknown) => unknown;
    return {
      method,
      path,
      needs,
      ...(id === 'index' && { alias: `${path}/` }),
      async handle(exchange) {
        const { params } = exchange;
        if (method === 'POST' && body === undefined) await exchange.body();
        const result = await handler({
          params,
          query: exchange.query(query),
          body: () => readBody(exchange, body),
          exchange,
        });
        if (result === ANSWERED) return;
        if (result === undefined) exchange.empty();
        else if (typeof result === 'string') exchange.send(status, result, `${type}; charset=utf-8`);
        else exchange.json(result, status);
      },
    };
  });
}

/** Fields that are not in the table are ignored. */
async function readBody(exchange: Exchange, schema: Schema<unknown> | undefined): Promise<unknown> {
  const body = await exchange.body();
  if (schema === undefined) return undefined;
  const wrong = mismatch(schema, body, 'exact');
  if (wrong === undefined) return knownFields(schema, body);
  throw badRequest(`${wrong.at === '' ? 'The body' : `"${wrong.at}"`} has to be ${wrong.expected}.`);
}

function handlersOf(parts: ApiRouteParts): Handlers {
  const { api } = parts;
  return {
    async index() {
      const { apiIndex } = await import('./open-api.ts');
      return apiIndex((await api.health()).version);
    },
    async health({ exchange: { access } }) {
      const health = await api.health();
      const isKnown = access !== undefined && isOpen(access, 'api-read');
      // Others get the status alone, as the schema allows.
      return isKnown ? health : ({ status: health.status } as typeof health);
    },
    plugins: ({ query }) => api.plugins({ fresh: query.fresh ?? false }),
    async plugin({ params, query, exchange }) {
      const details = await api.plugin(params.name, { ask: query.ask ?? false });
      return isOwner(exchange.caller) ? details : forClients(details);
    },
    startPlugin: ({ params }) => api.start(params.name),
    stopPlugin: ({ params }) => api.stop(params.name),
    restartPlugin: ({ params }) => api.restart(params.name),
    pluginLogs: (asked) => logs(parts, asked),
    tools: async ({ query, exchange: { caller } }) => ({
      tools: await api.tools({ ask: query.ask ?? false, caller }),
    }),
    tool: ({ params, exchange: { caller } }) => api.tool(params.name, { caller }),
    commands: async ({ query, exchange: { caller } }) => ({
      commands: await api.commands({ ask: query.ask ?? false, caller }),
    }),
    command: ({ params, exchange: { caller } }) => api.command(params.name, { caller }),
    async completeCommand({ params, query: { parameter = '', typed = '' }, exchange: { caller } }) {
      return { values: await api.complete(params.name, parameter, typed, { caller }) };
    },
    ...callHandlers(parts),
    ...talkHandlers(parts),
    approvals: async () => ({ pending: await api.approvals.pending() }),
    async answerApproval({ params, body }) {
      const approval = approvalOf(Object.assign({ by: 'console' }, await body()));
      if (!(await api.approvals.answer(params.id, approval)))
        throw notFound('This question was answered or has expired.');
      return undefined;
    },
    async events({ query, exchange }) {
      await parts.streams.run(exchange.response, () => followEvents(api, exchange, query));
      return ANSWERED;
    },
    traffic: ({ query: { since = 0, ...filter } }) => api.traffic.since(since, defined(filter)),
    async trafficCassette({ query, exchange }) {
      const text = await api.traffic.cassette(query.plugin ?? '');
      exchange.response.setHeader('content-disposition', 'attachment; filename="cassette.jsonl"');
      return text;
    },
    recordings: async () => ({ recordings: await api.recordings.list() }),
    async startRecording({ body }) {
      const { plugin, file } = await body();
      return api.recordings.start(plugin, file);
    },
    stopRecording: ({ params }) => api.recordings.stop(params.id),
    audit({ query: { tool, plugin, caller, ...rest } }) {
      const named = { tool: tool || undefined, plugin: plugin || undefined, caller: caller || undefined };
      return api.audit(defined({ ...named, ...rest }));
    },
    tokens: async () => ({ tokens: await api.tokens.list() }),
    makeToken: async ({ body }) => api.tokens.create(await body()),
    async revokeToken({ params }) {
      if (!(await api.tokens.revoke(params.name))) throw notFound('There is no token of this name.');
      return undefined;
    },
    consoleLink: () => parts.consoleLink?.() ?? api.consoleLink(),
    async openApi() {
      const { openApi } = await import('./open-api.ts');
      return openApi((await api.health()).version);
    },
    async metrics({ exchange }) {
      exchange.send(200, await metricsText(parts), 'text/plain; version=0.0.4; charset=utf-8');
      return ANSWERED;
    },
  };
}

function callHandlers({
  api,
  calls,
}: ApiRouteParts): Pick<Handlers, 'callTool' | 'runCommand' | 'explainCall' | 'cancelCall'> {
  return {
    async callTool({ params, body, exchange }) {
      calls.checkCapacity();
      const { args, pairs, logs, ...options } = await body();
      await calls.answer(exchange, (onEntry) =>
        api.call(params.name, args, {
          ...callOptions(options, exchange),
          ...defined({ pairs, logs: logs && { since: logs.since ?? 0, onEntry } }),
        }),
      );
      return ANSWERED;
    },
    async runCommand({ params, body, exchange }) {
      calls.checkCapacity();
      const { args, ...options } = await body();
      await calls.answer(exchange, () => api.run(params.name, args, callOptions(options, exchange)));
      return ANSWERED;
    },
    async explainCall({ params, body, exchange }) {
      const { args, caller: named } = await body();
      const { caller } = callOptions({ caller: named }, exchange);
      // The user asks about others.
      return api.explain(params.name, args, named === undefined && isOwner(caller) ? {} : { caller });
    },
    cancelCall({ params, exchange }) {
      if (!calls.cancel(params.id, exchange.caller)) throw notFound('No call of this id is under way.');
      return undefined;
    },
  };
}

function callOptions(
  {
    timeoutMs,
    context,
    caller,
  }: Pick<BodyOf<'callTool'>, 'timeoutMs' | 'context'> & { caller?: NamedCaller },
  { trace, caller: asking }: Exchange,
): ApiCallOptions & { readonly caller: Caller } {
  return {
    ...defined({ timeoutMs, context, trace }),
    caller: caller === undefined ? asking : callerFor(caller, asking),
  };
}

type NamedCaller = BodyOf<'callTool'>['caller'];

/** The user may call for a caller that may do less; a client with a token gives no more than its name. */
function callerFor({ kind, name }: NonNullable<NamedCaller>, asking: Caller): Caller {
  if (asking.kind === 'client' && (kind ?? 'client') !== 'client')
    throw badRequest('A request with a token calls as a client: leave out "caller.kind".');
  return { ...asking, ...defined({ kind, name }) };
}

/** Conversations are held here until they are over, or left. */
function talkHandlers({
  api,
  calls,
  streams,
  maxTalks,
}: ApiRouteParts): Pick<Handlers, 'beginTalk' | 'say' | 'holdTalk' | 'leaveTalk'> {
  const talks = new Map<string, { readonly talk: Talk; readonly caller: Caller }>();
  const talkOf = (id: string, exchange: Exchange) => {
    const { talk, caller } = talks.get(id) ?? {};
    if (talk === undefined || caller === undefined || !isTheirs(exchange.caller, caller))
      throw notFound('There is no conversation of this id, or it is over.');
    return talk;
  };
  return {
    async beginTalk({ body, exchange }) {
      if (talks.size >= maxTalks)
        throw new HttpProblem(
          429,
          'TOO_MANY_CALLS',
          `${maxTalks} conversations are open already. Leave one first.`,
        );
      calls.checkCapacity();
      const { tool, args, ...named } = await body();
      const options = callOptions(named, exchange);
      // Waits for plugins that are starting; the conversation itself says what is wrong with the name.
      await api.tool(tool, { caller: options.caller }).catch(() => {});
      const talk = api.talk(tool, args, options);
      const id = randomBytes(12).toString('base64url');
      talks.set(id, { talk, caller: exchange.caller });
      void talk.ended.then(() => talks.delete(id));
      await calls.answer(exchange, () => talk.opening, { talk: id });
      // The client does not know the id, and could not leave it.
      if (exchange.response.destroyed && !exchange.response.writableFinished) talk.end();
      return ANSWERED;
    },
    async say({ params, body, exchange }) {
      calls.checkCapacity();
      const talk = talkOf(params.id, exchange);
      const { content } = await body();
      await calls.answer(exchange, () => talk.say(content));
      return ANSWERED;
    },
    async holdTalk({ params, exchange }) {
      const talk = talkOf(params.id, exchange);
      await streams.run(exchange.response, () => hold(exchange, talk));
      return ANSWERED;
    },
    leaveTalk({ params, exchange }) {
      talkOf(params.id, exchange).end();
      return undefined;
    },
  };
}

/** A client that holds a conversation gets its end, and leaves it by closing the connection. */
async function hold(exchange: Exchange, talk: Talk): Promise<void> {
  const events = exchange.events();
  if (exchange.isHead) return events.end();
  events.onClosed(() => talk.end());
  await events.send('ended', await talk.ended);
  events.end();
}

async function logs(
  { api, streams }: ApiRouteParts,
  { params: { name }, query: { follow = false, ...rest }, exchange }: Asked<'pluginLogs'>,
): Promise<{ readonly entries: readonly KeptRecord[] } | Answered> {
  const options = defined(rest);
  if (!exchange.wantsEvents || exchange.isHead) return { entries: await all(api.logs(name, options)) };
  // An unknown plugin is a problem before the stream begins.
  await all(api.logs(name, { since: Number.MAX_SAFE_INTEGER }));
  const gone = new AbortController();
  exchange.response.once('close', () => gone.abort());
  const entries = api.logs(name, { ...options, follow, signal: gone.signal });
  await streams.run(exchange.response, async () => {
    const events = exchange.events();
    for await (const entry of entries) await events.send('log', entry);
    events.end();
  });
  return ANSWERED;
}

async function all(entries: AsyncIterable<KeptRecord>): Promise<KeptRecord[]> {
  const found: KeptRecord[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}

function forClients(details: PluginDetails): PluginDetails {
  const isOffered = ({ clients }: { readonly clients: boolean }) => clients;
  return { ...details, tools: details.tools.filter(isOffered), commands: details.commands.filter(isOffered) };
}
