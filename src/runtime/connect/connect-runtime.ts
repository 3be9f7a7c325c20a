// A running host, through its HTTP API: the same interface as a runtime in this process.
import { lstat } from 'node:fs/promises';
import { systemClock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Call } from '../../definition/call.ts';
import type { KeptRecord } from '../../fleet/plugin/logs/log-book.ts';
import type { Talk } from '../../fleet/plugin/talk.ts';
import { endpoints, type ApiCallOptions, type RuntimeApi, type ToolCallOptions } from '../api.ts';
import {
  pathOf,
  type BodyOf,
  type EndpointId,
  type ParamsOf,
  type QueryOf,
  type ResultOf,
} from '../endpoint.ts';
import { remoteCall, RemoteTalk } from './remote-calls.ts';
import { checkAnswer, eventsOf, parsed, Requests } from './requests.ts';
import { RemoteEvents, type RetryOptions } from './remote-events.ts';

export interface ConnectOptions {
  /** How a connection for events that is lost comes back. */
  readonly retry?: RetryOptions;
  /** How long the host may take for its first answer: a suspended one accepts connections and does not answer. @default 10000 */
  readonly answerMs?: number;
  /** Whether a first request checks that the host is there and takes the token. @default true */
  readonly isChecked?: boolean;
}

const ANSWER_MS = 10_000;

interface Asked<Id extends EndpointId> {
  readonly params: ParamsOf<Id>;
  readonly query: QueryOf<Id>;
  readonly body: BodyOf<Id>;
}

/**
 * `http://127.0.0.1:7411` with a token that is for the API; or `unix:/path/of/the.sock`, which needs none.
 * @throws PluglotError UNAVAILABLE when no host is there, CALL_TIMEOUT when it does not answer, UNAUTHENTICATED, CONFIG_INVALID
 */
export async function connectRuntime(
  address: string,
  token?: string,
  { retry, answerMs = ANSWER_MS, isChecked = true }: ConnectOptions = {},
): Promise<RuntimeApi> {
  const requests = new Requests(address, token, answerMs);
  if (address.startsWith('unix:')) await checkOwner(requests.place);
  const ask = <Id extends EndpointId>(
    id: Id,
    { params, query, body }: Partial<Asked<Id>> = {},
  ): Promise<ResultOf<Id>> => requests.ask(id, pathOf(id, params, query), body === undefined ? {} : { body });
  const events = new RemoteEvents(requests, retry);
  const open = new Set<Call | Talk>();
  const kept = <One extends Call | Talk>(one: One, end: Promise<unknown>): One => {
    open.add(one);
    void end.then(() => open.delete(one));
    return one;
  };
  const call = (id: 'callTool' | 'runCommand', tool: string, args: JsonObject, options: ToolCallOptions) => {
    const { pairs, logs } = options;
    const what = { args, ...(pairs && { pairs }), ...(logs && { logs: { since: logs.since } }) };
    const made = remoteCall({
      requests,
      clock: systemClock,
      path: pathOf(id, { name: tool }),
      tool,
      onLog: logs?.onEntry,
      ...asked(what, options),
    });
    return kept(made, made.outcome);
  };
  const change = (id: 'startPlugin' | 'stopPlugin' | 'restartPlugin', name: string) =>
    requests.ask(id, pathOf(id, { name }), { body: {} });
  try {
    // Unlike `health`, this needs the token.
    if (isChecked) await ask('approvals');
  } catch (error) {
    requests.close();
    throw error;
  }
  return {
    health: () => ask('health'),
    plugins: (query = {}) => ask('plugins', { query }),
    plugin: (name, query = {}) => ask('plugin', { params: { name }, query }),
    start: (name) => change('startPlugin', name),
    stop: (name) => change('stopPlugin', name),
    restart: (name) => change('restartPlugin', name),
    async *logs(name, { signal, ...query } = {}) {
      const params = { name };
      let { after } = query;
      try {
        const response = await requests.open('GET', pathOf('pluginLogs', params, query), {
          accept: 'text/event-stream',
          ...(signal !== undefined && { signal }),
        });
        for await (const event of eventsOf(response)) {
          if (event.name !== 'log') continue;
          const value = parsed(event.data);
          checkAnswer(endpoints.pluginLogs.events.log, value, requests.place);
          const entry = value as unknown as KeptRecord; // just checked
          after = entry.seq;
          yield entry;
        }
      } catch (error) {
        if (signal?.aborted !== true) throw error;
        // Entries that were written before may still have been on their way.
        const rest = ask('pluginLogs', { params, query: { ...query, after, follow: false } });
        yield* (await rest.catch(() => ({ entries: [] }))).entries;
      }
    },
    tools: async ({ ask: asks } = {}) => (await ask('tools', { query: { ask: asks } })).tools,
    tool: (name) => ask('tool', { params: { name } }),
    call: (tool, args = {}, options = {}) => call('callTool', tool, args, options),
    explain: (name, args = {}, { caller } = {}) =>
      ask('explainCall', { params: { name }, body: { args, ...(caller && { caller }) } }),
    commands: async ({ ask: asks } = {}) => (await ask('commands', { query: { ask: asks } })).commands,
    command: (name) => ask('command', { params: { name } }),
    complete: async (name, parameter, typed) =>
      (await ask('completeCommand', { params: { name }, query: { parameter, typed } })).values,
    run: (command, args = {}, options = {}) => call('runCommand', command, args, options),
    talk(tool, args = {}, options = {}) {
      const talk = new RemoteTalk({ requests, clock: systemClock, tool, ...asked({ tool, args }, options) });
      return kept(talk, talk.ended);
    },
    approvals: {
      pending: async () => (await ask('approvals')).pending,
      answer: (id, body) => isThere(ask('answerApproval', { params: { id }, body })),
      onChanged: (listener) =>
        events.onEvent((event) => {
          if (event.kind === 'approvals') listener(event.pending);
        }),
    },
    traffic: {
      since: (since, filter = {}) => ask('traffic', { query: { since, ...filter } }),
      onEntry: (listener) => events.onEntry(listener),
      cassette: (plugin) => requests.text('GET', pathOf('trafficCassette', {}, { plugin })),
    },
    recordings: {
      list: async () => (await ask('recordings')).recordings,
      start: (plugin, file) =>
        ask('startRecording', { body: { plugin, ...(file !== undefined && { file }) } }),
      stop: (id) => ask('stopRecording', { params: { id } }),
    },
    tokens: {
      list: async () => (await ask('tokens')).tokens,
      create: (body) => ask('makeToken', { body }),
      revoke: (name) => isThere(ask('revokeToken', { params: { name } })),
    },
    consoleLink: () => requests.ask('consoleLink', pathOf('consoleLink'), { body: {} }),
    audit: (query = {}) => ask('audit', { query: { ...query } }),
    onEvent: (listener) => events.onEvent(listener),
    async close() {
      events.close();
      const calls = [...open];
      for (const one of calls)
        if ('opening' in one) one.end();
        else one.cancel('The connection to the host was closed.');
      await Promise.all(calls.map((one) => ('opening' in one ? one.ended : one.outcome)));
      requests.close();
    },
  };
}

/** False where the host answers NOT_FOUND. */
async function isThere(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof PluglotError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

/** The request of a call, beside its name. */
function asked(what: JsonObject, { timeoutMs, context, caller, trace, signal }: ApiCallOptions) {
  return {
    body: { ...what, timeoutMs, context, caller },
    signal,
    ...(trace !== undefined && { headers: { ...trace } }),
  };
}

/** The owner of the socket gets all arguments, and can answer anything. */
async function checkOwner(socket: string): Promise<void> {
  const stats = await lstat(socket).catch(() => undefined);
  if (stats === undefined || !stats.isSocket())
    throw new PluglotError('UNAVAILABLE', `No host listens at ${socket}. Is \`pluglot up\` running there?`);
  if (process.getuid !== undefined && stats.uid !== process.getuid())
    throw new PluglotError('NOT_TRUSTED', `The socket ${socket} belongs to another user.`);
}
