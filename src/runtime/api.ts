// The HTTP API, one entry per endpoint: method, path, query, body and result. Routes, the OpenAPI document and `connectRuntime` follow it.
import type { PluginList } from './runtime-api.ts';
import { callValues } from './api-call-values.ts';
import { pluginValues } from './api-plugin-values.ts';
import { anyObject, described, is, list, object, oneOf, text, whole, type Schema } from './api-schema.ts';
import { tokenPurposes } from './tokens/token-purposes.ts';
import type { NewToken, TokenRequest } from './tokens/tokens.ts';

export type * from './api-call-values.ts';
export type * from './api-plugin-values.ts';
export type * from './runtime-api.ts';

/** What a token has to open; `user` is never for a client with a token, `nothing` is for everyone. */
export type Needs = 'nothing' | 'metrics' | 'api-read' | 'api' | 'user';

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As OpenAPI writes it. */
  readonly path: string;
  readonly tag: 'host' | 'plugins' | 'calls' | 'talks' | 'approvals' | 'observation' | 'access';
  readonly summary: string;
  readonly description?: string;
  /** @default api-read for GET, else api */
  readonly needs?: Needs;
  readonly query?: Readonly<Record<string, QueryField>>;
  readonly body?: Schema<unknown>;
  /** Left out: no content, 204. */
  readonly result?: Schema<unknown>;
  /** @default 200 */
  readonly status?: number;
  /** The content type of a result that is not JSON. */
  readonly type?: string;
  /** By name: what comes with `accept: text/event-stream`. */
  readonly events?: Readonly<Record<string, Schema<unknown>>>;
}

/** A flag with `acts` does more than read, and needs `api`. */
export interface QueryField {
  readonly kind: 'flag' | 'count' | 'text';
  readonly description?: string;
  readonly acts?: boolean;
}

const flag = (description: string) => ({ kind: 'flag', description }) as const;
const acts = (description: string) => ({ kind: 'flag', description, acts: true }) as const;
const count = (description?: string) => ({ kind: 'count', ...(description && { description }) }) as const;
const word = (description?: string) => ({ kind: 'text', ...(description && { description }) }) as const;
const since = count('Milliseconds since 1970.');
const ask = acts('Plugins that have not been asked yet are started for it, and awaited.');

const { command, configurationProblem, health, index, logRecord, plugin, pluginDetails, token, toolView } =
  pluginValues;
const { approval, auditEvent, auditRecord, callEvent, callFailure, callRequest, explainRequest } = callValues;
const { explanation, outcome, question, recording, talkRequest, traffic, verdict } = callValues;

const callEvents = {
  text: callEvent,
  log: callEvent,
  progress: callEvent,
  outcome,
  target: object({ id: text, name: text, plugin: text }),
  'plugin-log': logRecord,
};
const callDescription =
  'A failed call is a good answer, with ok: false. With accept: text/event-stream, its events come as they happen. Closing the connection cancels the call.';

export const endpoints = {
  index: {
    method: 'GET',
    path: '/api/v1',
    tag: 'host',
    summary: 'List what can be asked',
    result: index,
  },
  health: {
    method: 'GET',
    path: '/api/v1/health',
    tag: 'host',
    summary: 'Show whether the host works',
    description: 'Without a token that opens the API, only its status.',
    needs: 'nothing',
    result: health,
  },
  plugins: {
    method: 'GET',
    path: '/api/v1/plugins',
    tag: 'plugins',
    summary: 'List all plugins, also those that may not be used',
    query: { fresh: acts('The configuration is read again first, and followed.') },
    result: is<PluginList>(object({ plugins: list(plugin), problems: list(configurationProblem) })),
  },
  plugin: {
    method: 'GET',
    path: '/api/v1/plugins/{name}',
    tag: 'plugins',
    summary: 'Show a plugin with its tools, commands and health',
    query: { ask },
    result: pluginDetails,
  },
  startPlugin: {
    method: 'POST',
    path: '/api/v1/plugins/{name}/start',
    tag: 'plugins',
    summary: 'Start a plugin and expose it',
    result: plugin,
  },
  stopPlugin: {
    method: 'POST',
    path: '/api/v1/plugins/{name}/stop',
    tag: 'plugins',
    summary: 'Stop a plugin',
    result: plugin,
  },
  restartPlugin: {
    method: 'POST',
    path: '/api/v1/plugins/{name}/restart',
    tag: 'plugins',
    summary: 'Restart a plugin',
    result: plugin,
  },
  pluginLogs: {
    method: 'GET',
    path: '/api/v1/plugins/{name}/logs',
    tag: 'plugins',
    summary: 'Show the log of a plugin',
    query: {
      since,
      after: count('Only entries after the one of this number.'),
      follow: flag('Goes on, as a stream.'),
    },
    result: object({ entries: list(logRecord) }),
    events: { log: logRecord },
  },
  tools: {
    method: 'GET',
    path: '/api/v1/tools',
    tag: 'calls',
    summary: 'List all exposed tools',
    query: { ask },
    result: object({ tools: list(toolView) }),
  },
  tool: {
    method: 'GET',
    path: '/api/v1/tools/{name}',
    tag: 'calls',
    summary: 'Show a tool, also one that its plugin does not list',
    description:
      'As plugin__tool, or by its own name where no other plugin has such a tool. Waits for plugins that are starting.',
    needs: 'api',
    result: toolView,
  },
  callTool: {
    method: 'POST',
    path: '/api/v1/tools/{name}/call',
    tag: 'calls',
    summary: 'Call a tool through the gate',
    description: callDescription,
    body: callRequest,
    result: outcome,
    events: callEvents,
  },
  explainCall: {
    method: 'POST',
    path: '/api/v1/tools/{name}/explain',
    tag: 'calls',
    summary: 'Show what the rules would decide on a call',
    description:
      'Of a tool or a command. No question is asked and nothing is called. Without a caller, it is that of a client.',
    body: explainRequest,
    result: explanation,
  },
  cancelCall: {
    method: 'DELETE',
    path: '/api/v1/calls/{id}',
    tag: 'calls',
    summary: 'Cancel a call',
  },
  commands: {
    method: 'GET',
    path: '/api/v1/commands',
    tag: 'calls',
    summary: 'List the commands of users',
    query: { ask },
    result: object({ commands: list(command) }),
  },
  command: {
    method: 'GET',
    path: '/api/v1/commands/{name}',
    tag: 'calls',
    summary: 'Show a command',
    description:
      'As plugin__command, or by its own name where no other plugin has such a command. Waits for plugins that are starting.',
    needs: 'api',
    result: command,
  },
  runCommand: {
    method: 'POST',
    path: '/api/v1/commands/{name}/run',
    tag: 'calls',
    summary: 'Run a command through the gate',
    description: callDescription,
    body: callRequest,
    result: outcome,
    events: callEvents,
  },
  completeCommand: {
    method: 'GET',
    path: '/api/v1/commands/{name}/complete',
    tag: 'calls',
    summary: 'Complete an argument of a command',
    needs: 'api',
    query: { parameter: word(), typed: word() },
    result: object({ values: list(text) }),
  },
  beginTalk: {
    method: 'POST',
    path: '/api/v1/talks',
    tag: 'talks',
    summary: 'Begin a conversation with a tool that keeps the session',
    body: talkRequest,
    result: object({ talk: text, outcome }),
    events: { talk: object({ talk: text }), ...callEvents },
  },
  say: {
    method: 'POST',
    path: '/api/v1/talks/{id}/say',
    tag: 'talks',
    summary: 'Say something in a conversation',
    description: callDescription,
    body: object({ content: text }),
    result: outcome,
    events: callEvents,
  },
  holdTalk: {
    method: 'GET',
    path: '/api/v1/talks/{id}',
    tag: 'talks',
    summary: 'Wait for the end of a conversation',
    description: 'Closing the connection leaves it.',
    needs: 'api',
    events: { ended: object({ reason: oneOf('finished', 'left', 'failed'), 'error?': callFailure }) },
  },
  leaveTalk: {
    method: 'DELETE',
    path: '/api/v1/talks/{id}',
    tag: 'talks',
    summary: 'Leave a conversation',
  },
  approvals: {
    method: 'GET',
    path: '/api/v1/approvals',
    tag: 'approvals',
    summary: 'List the questions that wait for an answer, the oldest first',
    result: object({ pending: list(question) }),
  },
  answerApproval: {
    method: 'POST',
    path: '/api/v1/approvals/{id}',
    tag: 'approvals',
    summary: 'Answer a question',
    needs: 'user',
    body: approval,
  },
  events: {
    method: 'GET',
    path: '/api/v1/events',
    tag: 'observation',
    summary: 'Follow all events',
    query: {
      traffic: flag('Messages on the wires too, at most ten batches a second.'),
      since: count('The number of the last message that was seen.'),
      plugin: word('Messages of this plugin alone.'),
    },
    events: {
      hello: object({ version: text }),
      plugin,
      'plugin-removed': object({ name: text }),
      tools: object({}),
      approvals: object({ pending: list(question) }),
      log: object({ plugin: text, entry: logRecord }),
      audit: object({ at: text, event: auditEvent }),
      traffic: object({ entries: list(traffic), 'dropped?': whole }),
      dropped: object({ 'count?': described(whole, 'So many events were lost, since they were not read.') }),
    },
  },
  traffic: {
    method: 'GET',
    path: '/api/v1/traffic',
    tag: 'observation',
    summary: 'List the last messages on the wires, oldest first',
    query: {
      since: count('Only those after this number.'),
      plugin: word(),
      call: word('Only those of the call with this id.'),
      trace: word('Only those of calls of the trace with this id.'),
      limit: count(),
    },
    result: object({ entries: list(traffic), last: whole }),
  },
  trafficCassette: {
    method: 'GET',
    path: '/api/v1/traffic/cassette',
    tag: 'observation',
    summary: 'Download the messages of a plugin as a cassette',
    query: { plugin: word() },
    result: text,
    type: 'application/jsonl',
  },
  recordings: {
    method: 'GET',
    path: '/api/v1/recordings',
    tag: 'observation',
    summary: 'List running recordings',
    result: object({ recordings: list(recording) }),
  },
  startRecording: {
    method: 'POST',
    path: '/api/v1/recordings',
    tag: 'observation',
    summary: 'Record a plugin to a cassette in the state folder',
    needs: 'user',
    body: object({ plugin: text, 'file?': described(text, 'A name, not a path.') }),
    result: recording,
    status: 201,
  },
  stopRecording: {
    method: 'DELETE',
    path: '/api/v1/recordings/{id}',
    tag: 'observation',
    summary: 'End a recording; answers when it is on the disk',
    needs: 'user',
    result: recording,
  },
  audit: {
    method: 'GET',
    path: '/api/v1/audit',
    tag: 'observation',
    summary: 'List calls, decisions and outcomes',
    query: {
      tool: word(),
      plugin: word(),
      caller: word(),
      since,
      denied: flag('Only calls that were denied.'),
      limit: count('The last so many; default: 200.'),
      verify: flag('Also whether the log is as it was written.'),
    },
    result: object({ records: list(auditRecord), 'verified?': verdict }),
  },
  tokens: {
    method: 'GET',
    path: '/api/v1/tokens',
    tag: 'access',
    summary: 'List the tokens of clients and the browsers of the console',
    needs: 'user',
    result: object({ tokens: list(token) }),
  },
  makeToken: {
    method: 'POST',
    path: '/api/v1/tokens',
    tag: 'access',
    summary: 'Create a token; its secret is shown once',
    needs: 'user',
    body: is<TokenRequest>(object({ name: text, purpose: oneOf(...tokenPurposes), 'profile?': text })),
    result: is<NewToken>(object({ token, secret: text })),
    status: 201,
  },
  revokeToken: {
    method: 'DELETE',
    path: '/api/v1/tokens/{name}',
    tag: 'access',
    summary: 'Revoke a token; its connections end',
    needs: 'user',
  },
  consoleLink: {
    method: 'POST',
    path: '/api/v1/console/link',
    tag: 'access',
    summary: 'Create a link that lets one browser into the console, once and within ten minutes',
    needs: 'user',
    result: object({ url: text, expiresAt: described(whole, 'Milliseconds since 1970.') }),
    status: 201,
  },
  openApi: {
    method: 'GET',
    path: '/api/v1/openapi.json',
    tag: 'host',
    summary: 'Show this document',
    result: anyObject,
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    tag: 'host',
    summary: 'Show metrics for Prometheus',
    needs: 'metrics',
    result: described(text, 'The text format of Prometheus.'),
    type: 'text/plain',
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
