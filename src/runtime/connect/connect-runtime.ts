// A running host, through its HTTP API: the same interface as that of one in this process.
import { lstat } from 'node:fs/promises';
import { systemClock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { late, within } from '../../base/within.ts';
import type { Call } from '../../fleet/plugin/call.ts';
import type { KeptRecord } from '../../fleet/plugin/logs/log-book.ts';
import type { Talk } from '../../fleet/plugin/talk.ts';
import type {
  ApiCallOptions,
  AuditPage,
  CommandView,
  ConsoleLink,
  HealthView,
  PluginDetails,
  PluginList,
  PluginView,
  RecordingView,
  RuntimeApi,
  ToolView,
  TrafficPage,
} from '../api.ts';
import type { NewToken, TokenView } from '../tokens/tokens.ts';
import type { Question } from '../../gate/approval/approver.ts';
import { RemoteCall } from './remote-call.ts';
import { RemoteEvents, type RetryOptions } from './remote-events.ts';
import { RemoteTalk } from './remote-talk.ts';
import { eventsOf, parsed, Requests } from './requests.ts';

export interface ConnectOptions {
  /** How a connection for events that is lost comes back. */
  readonly retry?: RetryOptions;
  /** How long the host may take for its first answer: one that was suspended takes connections and says nothing. @default 10000 */
  readonly answerMs?: number;
}

const ANSWER_MS = 10_000;

/**
 * `http://127.0.0.1:7411` with a token that is for the API; or `unix:/path/of/the.sock`, which needs none.
 * @throws PluglotError UNAVAILABLE when nobody is there, CALL_TIMEOUT when it says nothing, UNAUTHENTICATED, CONFIG_INVALID
 */
export async function connectRuntime(
  address: string,
  token?: string,
  { retry, answerMs = ANSWER_MS }: ConnectOptions = {},
): Promise<RuntimeApi> {
  const requests = new Requests(address, token);
  if (address.startsWith('unix:')) await checkOwner(requests.place);
  const get = <Answer>(path: string) => requests.ask<Answer>('GET', `/api/v1${path}`);
  const events = new RemoteEvents(requests, retry);
  const open = new Set<Call | Talk>();
  const kept = <One extends Call | Talk>(one: One, end: Promise<unknown>): One => {
    open.add(one);
    void end.then(() => open.delete(one));
    return one;
  };
  const call = (path: string, tool: string, args: JsonObject, options: ApiCallOptions) => {
    const made = new RemoteCall({ requests, clock: systemClock, path, tool, ...asked({ args }, options) });
    return kept(made, made.outcome);
  };
  const change = (name: string, action: string) =>
    requests.ask<PluginView>('POST', `/api/v1/plugins/${part(name)}/${action}`, { body: {} });
  try {
    // Which needs the token, other than to ask for its health.
    const answered = await within(get('/approvals'), answerMs, systemClock);
    if (answered === late)
      throw new PluglotError(
        'CALL_TIMEOUT',
        `The host at ${requests.place} did not answer within ${answerMs} ms. It may be suspended or busy: wake it, or end it.`,
      );
  } catch (error) {
    requests.close();
    throw error;
  }
  return {
    health: () => get<HealthView>('/health'),
    plugins: (options = {}) => get<PluginList>(`/plugins${queryOf({ ...options })}`),
    plugin: (name, options = {}) => get<PluginDetails>(`/plugins/${part(name)}${queryOf({ ...options })}`),
    start: (name) => change(name, 'start'),
    stop: (name) => change(name, 'stop'),
    restart: (name) => change(name, 'restart'),
    async *logs(name, { signal, ...options } = {}) {
      const path = `/plugins/${part(name)}/logs`;
      let { after } = options;
      try {
        const response = await requests.open('GET', `/api/v1${path}${queryOf({ ...options })}`, {
          accept: 'text/event-stream',
          ...(signal !== undefined && { signal }),
        });
        for await (const event of eventsOf(response)) {
          if (event.name !== 'log') continue;
          // The host is of our own kind.
          const entry = parsed(event.data) as unknown as KeptRecord;
          after = entry.seq;
          yield entry;
        }
      } catch (error) {
        if (signal?.aborted !== true) throw error;
        // What was written before may still have been on its way.
        const rest = get<{ entries: readonly KeptRecord[] }>(
          `${path}${queryOf({ ...options, after, follow: false })}`,
        );
        yield* (await rest.catch(() => ({ entries: [] }))).entries;
      }
    },
    tools: async ({ ask } = {}) =>
      (await get<{ tools: readonly ToolView[] }>(`/tools${queryOf({ ask })}`)).tools,
    tool: (name) => get<ToolView>(`/tools/${part(name)}`),
    call: (tool, args = {}, options = {}) => call(`/api/v1/tools/${part(tool)}/call`, tool, args, options),
    explain: (name, args = {}, { caller } = {}) =>
      requests.ask('POST', `/api/v1/tools/${part(name)}/explain`, { body: { args, caller } }),
    commands: async ({ ask } = {}) =>
      (await get<{ commands: readonly CommandView[] }>(`/commands${queryOf({ ask })}`)).commands,
    command: (name) => get<CommandView>(`/commands/${part(name)}`),
    async complete(command, parameter, typed) {
      const path = `/commands/${part(command)}/complete${queryOf({ parameter, typed })}`;
      return (await get<{ values: readonly string[] }>(path)).values;
    },
    run: (command, args = {}, options = {}) =>
      call(`/api/v1/commands/${part(command)}/run`, command, args, options),
    talk(tool, args = {}, options = {}) {
      const talk = new RemoteTalk({ requests, clock: systemClock, tool, ...asked({ tool, args }, options) });
      return kept(talk, talk.ended);
    },
    approvals: {
      pending: async () => (await get<{ pending: readonly Question[] }>('/approvals')).pending,
      answer: (id, approval) =>
        isThere(requests.ask('POST', `/api/v1/approvals/${part(id)}`, { body: approval })),
      onChanged: (listener) =>
        events.onEvent((event) => {
          if (event.kind === 'approvals') listener(event.pending);
        }),
    },
    traffic: {
      since: (seq, filter = {}) => get<TrafficPage>(`/traffic${queryOf({ since: seq, ...filter })}`),
      onEntry: (listener) => events.onEntry(listener),
      cassette: (plugin) => requests.text('GET', `/api/v1/traffic/cassette${queryOf({ plugin })}`),
    },
    recordings: {
      list: async () => (await get<{ recordings: readonly RecordingView[] }>('/recordings')).recordings,
      start: (plugin, file) => requests.ask('POST', '/api/v1/recordings', { body: { plugin, file } }),
      stop: (id) => requests.ask('DELETE', `/api/v1/recordings/${part(id)}`),
    },
    tokens: {
      list: async () => (await get<{ tokens: readonly TokenView[] }>('/tokens')).tokens,
      create: (token) => requests.ask<NewToken>('POST', '/api/v1/tokens', { body: token }),
      revoke: (name) => isThere(requests.ask('DELETE', `/api/v1/tokens/${part(name)}`)),
    },
    consoleLink: () => requests.ask<ConsoleLink>('POST', '/api/v1/console/link', { body: {} }),
    audit: (filter = {}) => get<AuditPage>(`/audit${queryOf({ ...filter })}`),
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

/** False where the host says that there is no such thing. */
async function isThere(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof PluglotError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

/** What a call is asked for with, beside its name. */
function asked(what: JsonObject, { timeoutMs, context, caller, trace, signal }: ApiCallOptions) {
  return {
    body: { ...what, timeoutMs, context, caller },
    signal,
    ...(trace !== undefined && { headers: { ...trace } }),
  };
}

/** Whoever made the socket hears all arguments, and answers as it likes. */
async function checkOwner(socket: string): Promise<void> {
  const stats = await lstat(socket).catch(() => undefined);
  if (stats === undefined || !stats.isSocket())
    throw new PluglotError('UNAVAILABLE', `No host listens at ${socket}. Is \`pluglot up\` running there?`);
  if (process.getuid !== undefined && stats.uid !== process.getuid())
    throw new PluglotError('NOT_TRUSTED', `The socket ${socket} is somebody else's.`);
}

function part(name: string): string {
  return encodeURIComponent(name);
}

function queryOf(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs: [string, string][] = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [[name, value === true ? '1' : String(value)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}
