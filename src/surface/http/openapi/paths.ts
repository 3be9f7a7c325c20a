// All that can be asked of the API.
import type { JsonObject } from '../../../base/json.ts';
import { tokenPurposes } from '../../../runtime/tokens/token-purposes.ts';
import { flag, operation, since, type OperationOptions } from './operation.ts';
import { anyObject, described, list, object, oneOf, ref, text, whole } from './schema.ts';

const outcomeEvents = {
  text: ref('CallEvent'),
  log: ref('CallEvent'),
  progress: ref('CallEvent'),
  outcome: ref('Outcome'),
};
const callWords =
  'A failed call is a good answer, with ok: false. With accept: text/event-stream, what the call says comes as it is said. Closing the connection cancels the call.';

const ask = { ...flag, description: 'Who has not introduced itself yet is started for it, and awaited.' };

/** By method and path. */
export const operations: Readonly<Record<string, OperationOptions>> = {
  'GET /api/v1': {
    id: 'index',
    tag: 'host',
    summary: 'What there is, and where',
    answer: ref('Index'),
  },
  'GET /api/v1/health': {
    id: 'health',
    tag: 'host',
    summary: 'Whether the host is well',
    description: 'Without a token that opens the API it says only its status.',
    answer: ref('Health'),
    needs: 'nothing',
  },
  'GET /api/v1/plugins': {
    id: 'plugins',
    tag: 'plugins',
    summary: 'All plugins, also those that may not be used',
    query: { fresh: { ...flag, description: 'What is configured is read again first, and followed.' } },
    answer: object({ plugins: list(ref('Plugin')), problems: list(ref('ConfigurationProblem')) }),
  },
  'GET /api/v1/plugins/{name}': {
    id: 'plugin',
    tag: 'plugins',
    summary: 'One plugin, with its tools, commands and health',
    query: { ask },
    answer: ref('PluginDetails'),
  },
  'POST /api/v1/plugins/{name}/start': {
    id: 'startPlugin',
    tag: 'plugins',
    summary: 'Starts it, and exposes it where it was not',
    answer: ref('Plugin'),
  },
  'POST /api/v1/plugins/{name}/stop': {
    id: 'stopPlugin',
    tag: 'plugins',
    summary: 'Stops it',
    answer: ref('Plugin'),
  },
  'POST /api/v1/plugins/{name}/restart': {
    id: 'restartPlugin',
    tag: 'plugins',
    summary: 'Stops and starts it',
    answer: ref('Plugin'),
  },
  'GET /api/v1/plugins/{name}/logs': {
    id: 'pluginLogs',
    tag: 'plugins',
    summary: 'What it said and what happened to it',
    query: {
      since,
      after: { ...whole, description: 'Only those behind the one of this number.' },
      follow: { ...flag, description: 'Goes on, as a stream.' },
    },
    answer: object({ entries: list(ref('LogRecord')) }),
    events: { log: ref('LogRecord') },
  },
  'GET /api/v1/tools': {
    id: 'tools',
    tag: 'calls',
    summary: 'All exposed tools',
    query: { ask },
    answer: object({ tools: list(ref('ToolView')) }),
  },
  'GET /api/v1/tools/{name}': {
    needs: 'api',
    id: 'tool',
    tag: 'calls',
    summary: 'One tool, also one that is not listed, where the dialect of its plugin has no list',
    description:
      'As plugin__tool, or by its own name where no other plugin has such a tool. Plugins that were not asked yet are.',
    answer: ref('ToolView'),
  },
  'POST /api/v1/tools/{name}/call': {
    id: 'callTool',
    tag: 'calls',
    summary: 'Calls a tool, through the gate',
    description: callWords,
    body: ref('CallRequest'),
    answer: ref('Outcome'),
    events: outcomeEvents,
  },
  'POST /api/v1/tools/{name}/explain': {
    id: 'explainCall',
    tag: 'calls',
    summary: 'What the rules would decide on a call, and which of them',
    description:
      'Of a tool or a command. Nobody is asked and nothing is called. Without a caller, it is that of a client.',
    body: ref('ExplainRequest'),
    answer: ref('Explanation'),
  },
  'DELETE /api/v1/calls/{id}': {
    id: 'cancelCall',
    tag: 'calls',
    summary: 'Cancels a call that is under way',
  },
  'GET /api/v1/commands': {
    id: 'commands',
    tag: 'calls',
    summary: 'What users may call without a model',
    query: { ask },
    answer: object({ commands: list(ref('CommandView')) }),
  },
  'GET /api/v1/commands/{name}': {
    needs: 'api',
    id: 'command',
    tag: 'calls',
    summary: 'One command',
    description:
      'As plugin__command, or by its own name where no other plugin has such a command. Plugins that were not asked yet are.',
    answer: ref('CommandView'),
  },
  'POST /api/v1/commands/{name}/run': {
    id: 'runCommand',
    tag: 'calls',
    summary: 'Runs a command, through the gate',
    description: callWords,
    body: ref('CallRequest'),
    answer: ref('Outcome'),
    events: outcomeEvents,
  },
  'GET /api/v1/commands/{name}/complete': {
    needs: 'api',
    id: 'completeCommand',
    tag: 'calls',
    summary: 'What may stand for a parameter of which so much is typed',
    query: { parameter: text, typed: text },
    answer: object({ values: list(text) }),
  },
  'POST /api/v1/talks': {
    id: 'beginTalk',
    tag: 'talks',
    summary: 'Begins a conversation with a tool that keeps the session',
    body: ref('TalkRequest'),
    answer: object({ talk: text, outcome: ref('Outcome') }),
    events: { talk: object({ talk: text }), ...outcomeEvents },
  },
  'POST /api/v1/talks/{id}/say': {
    id: 'say',
    tag: 'talks',
    summary: 'Says something in a conversation',
    description: callWords,
    body: object({ content: text }),
    answer: ref('Outcome'),
    events: outcomeEvents,
  },
  'GET /api/v1/talks/{id}': {
    needs: 'api',
    id: 'holdTalk',
    tag: 'talks',
    summary: 'Waits for the end of a conversation',
    description: 'Closing the connection leaves it.',
    isStreamOnly: true,
    events: { ended: object({ reason: oneOf('finished', 'left', 'failed'), 'error?': ref('CallFailure') }) },
  },
  'DELETE /api/v1/talks/{id}': { id: 'leaveTalk', tag: 'talks', summary: 'Leaves a conversation' },
  'GET /api/v1/approvals': {
    id: 'approvals',
    tag: 'approvals',
    summary: 'Questions that wait for an answer, the oldest first',
    answer: object({ pending: list(ref('Question')) }),
  },
  'POST /api/v1/approvals/{id}': {
    needs: 'user',
    id: 'answerApproval',
    tag: 'approvals',
    summary: 'Answers a question',
    body: ref('Approval'),
  },
  'GET /api/v1/events': {
    id: 'events',
    tag: 'observation',
    summary: 'All that happens, as it happens',
    query: {
      traffic: { ...flag, description: 'Messages on the wires too, at most ten batches a second.' },
      since: { ...whole, description: 'The number of the last message that was seen.' },
      plugin: { ...text, description: 'Messages of this one alone.' },
    },
    isStreamOnly: true,
    isSocket: true,
    events: {
      hello: object({ version: text }),
      plugin: ref('Plugin'),
      'plugin-removed': object({ name: text }),
      tools: object({}),
      approvals: object({ pending: list(ref('Question')) }),
      log: object({ plugin: text, entry: ref('LogRecord') }),
      audit: object({ at: text, event: ref('AuditEvent') }),
      traffic: object({ entries: list(ref('TrafficEntry')), 'dropped?': whole }),
      dropped: object({ 'count?': described(whole, 'So many events were lost, since they were not read.') }),
    },
  },
  'GET /api/v1/traffic': {
    id: 'traffic',
    tag: 'observation',
    summary: 'The last messages on the wires, oldest first',
    query: {
      since: { ...whole, description: 'Only those after this number.' },
      plugin: text,
      call: { ...text, description: 'Only those of the call with this id.' },
      trace: { ...text, description: 'Only those of calls of the trace with this id.' },
      limit: whole,
    },
    answer: object({ entries: list(ref('TrafficEntry')), last: whole }),
  },
  'GET /api/v1/traffic/cassette': {
    id: 'trafficCassette',
    tag: 'observation',
    summary: 'What is kept of one plugin, as a cassette',
    query: { plugin: text },
    answer: text,
    type: 'application/jsonl',
  },
  'GET /api/v1/recordings': {
    id: 'recordings',
    tag: 'observation',
    summary: 'Recordings that go on',
    answer: object({ recordings: list(ref('Recording')) }),
  },
  'POST /api/v1/recordings': {
    needs: 'user',
    id: 'startRecording',
    tag: 'observation',
    summary: 'Records a plugin to a cassette in the state folder',
    body: object({ plugin: text, 'file?': described(text, 'A name, not a path.') }),
    answer: ref('Recording'),
    status: 201,
  },
  'DELETE /api/v1/recordings/{id}': {
    needs: 'user',
    id: 'stopRecording',
    tag: 'observation',
    summary: 'Ends a recording; answers when it is on the disk',
    answer: ref('Recording'),
  },
  'GET /api/v1/audit': {
    id: 'audit',
    tag: 'observation',
    summary: 'What was asked for, how it was decided and what came of it',
    query: {
      tool: text,
      plugin: text,
      caller: text,
      since,
      denied: flag,
      limit: { ...whole, description: 'The last so many; 200 unless said otherwise.' },
      verify: { ...flag, description: 'Also whether the log is as it was written.' },
    },
    answer: object({ records: list(ref('AuditRecord')), 'verified?': anyObject }),
  },
  'GET /api/v1/tokens': {
    id: 'tokens',
    tag: 'access',
    summary: 'Tokens of clients, and browsers that were let into the console',
    needs: 'user',
    answer: object({ tokens: list(ref('Token')) }),
  },
  'POST /api/v1/tokens': {
    id: 'makeToken',
    tag: 'access',
    summary: 'Makes a token; its secret is told this once',
    needs: 'user',
    body: object({ name: text, purpose: oneOf(...tokenPurposes), 'profile?': text }),
    answer: object({ token: ref('Token'), secret: text }),
    status: 201,
  },
  'DELETE /api/v1/tokens/{name}': {
    id: 'revokeToken',
    tag: 'access',
    summary: 'Revokes a token; what goes on for it ends',
    needs: 'user',
  },
  'POST /api/v1/console/link': {
    id: 'consoleLink',
    tag: 'access',
    summary: 'Makes a link that lets one browser into the console, once and within ten minutes',
    needs: 'user',
    answer: object({ url: text, expiresAt: described(whole, 'Milliseconds since 1970.') }),
    status: 201,
  },
  'GET /api/v1/openapi.json': { id: 'openApi', tag: 'host', summary: 'This document', answer: anyObject },
  'GET /metrics': {
    needs: 'metrics',
    id: 'metrics',
    tag: 'host',
    summary: 'Numbers for Prometheus',
    answer: described(text, 'The text format of Prometheus.'),
    type: 'text/plain',
  },
};

export const paths: JsonObject = pathsOf();

function pathsOf(): JsonObject {
  const all = new Map<string, JsonObject>();
  for (const [key, options] of Object.entries(operations)) {
    const [method = '', path = ''] = key.split(' ');
    all.set(path, { ...all.get(path), [method.toLowerCase()]: operation(method, path, options) });
  }
  return Object.fromEntries(all);
}
