// The host, plugins, tools and commands, as the API tells of them.
import type { JsonObject } from '../../../base/json.ts';
import { tokenPurposes } from '../../../runtime/tokens/token-purposes.ts';
import {
  amount,
  anything,
  anyObject,
  described,
  list,
  object,
  oneOf,
  ref,
  text,
  whole,
  yesNo,
} from './schema.ts';

const stats = object({
  calls: described(whole, 'Since the host was started.'),
  failures: whole,
  running: whole,
  waiting: whole,
  p50Ms: described(amount, 'Of the last minutes; 0 where there were no calls.'),
  p99Ms: amount,
  perSecond: {
    ...list(whole),
    minItems: 60,
    maxItems: 60,
    description: 'Calls in each of the last 60 seconds, the oldest first.',
  },
});

const plugin = {
  name: text,
  origin: oneOf('built-in', 'in-process', 'process'),
  dialect: described(
    text,
    'gassist, gevals, mcp, planner, yams; in-process; or unknown, until it was asked.',
  ),
  state: oneOf(
    'starting',
    'ready',
    'busy',
    'unhealthy',
    'backoff',
    'stopping',
    'stopped',
    'failed',
    'disabled',
  ),
  sinceMs: described(amount, 'Since it is in this state.'),
  'reason?': described(text, 'Why it is in this state.'),
  restarts: whole,
  pids: list(whole),
  'talks?': described(yesNo, 'Whether its tools may begin conversations; left out until it was asked.'),
  'talking?': described(yesNo, 'Somebody is in a conversation with its process.'),
  'lazy?': described(yesNo, 'It is started when it is first used.'),
  'sandbox?': object(
    { network: yesNo, folders: { type: 'object', additionalProperties: oneOf('read-only', 'writable') } },
    'It is confined, and what it sees beside its own.',
  ),
  command: described(text, 'How it is started, without secrets.'),
  'from?': described(text, 'The file that says so.'),
  'changed?': described(text, 'What is configured for it now that it does not follow yet, and the way out.'),
  'untrusted?': object({ reason: text, wayOut: text }, 'Why it may not be started yet.'),
  stats: ref('PluginStats'),
};

const schema: JsonObject = { type: ['object', 'boolean'], description: 'A JSON Schema.' };

const tool = object({
  name: text,
  'title?': text,
  'description?': text,
  'inputSchema?': schema,
  'outputSchema?': schema,
  'tags?': list(text),
  'hints?': object({ 'readOnly?': yesNo, 'destructive?': yesNo, 'idempotent?': yesNo, 'openWorld?': yesNo }),
  'facet?': oneOf('extractor', 'planner', 'executor', 'talk'),
  'autoApprove?': yesNo,
});

const command = object({
  name: text,
  'description?': text,
  parameters: list(object({ name: text, 'description?': text, 'required?': yesNo, 'captureRest?': yesNo })),
  shareWithModel: yesNo,
  'forUsersOnly?': yesNo,
});

export const pluginSchemas: Readonly<Record<string, JsonObject>> = {
  Index: object({
    name: text,
    version: text,
    links: {
      type: 'object',
      additionalProperties: object({ href: text, title: text }),
      description: 'By the ids of operations.',
    },
  }),
  Health: object({
    status: oneOf('ok', 'degraded'),
    'version?': text,
    'uptimeMs?': whole,
    'plugins?': object({ ready: whole, total: whole }),
    'console?': described(text, 'Where its page is, without the token.'),
    'sandbox?': object(
      {
        'kind?': oneOf('bubblewrap', 'sandbox-exec'),
        'missing?': described(text, 'Why there is none, and how to change that.'),
        limits: object({ memory: yesNo, processes: yesNo }, 'Which limits hold.'),
      },
      'What confined programs run in on this machine.',
    ),
  }),
  PluginStats: stats,
  Plugin: object({ ...plugin, 'tools?': described(whole, 'How many; absent until it was asked.') }),
  PluginDetails: object({
    ...plugin,
    'version?': text,
    'description?': text,
    'manifest?': described(anyObject, 'As it introduced itself, without secrets.'),
    tools: list(ref('ToolView')),
    commands: list(ref('CommandView')),
    'instructions?': text,
    health: object({ status: oneOf('ok', 'degraded', 'error'), 'message?': text, 'details?': anything }),
  }),
  ConfigurationProblem: object({
    file: text,
    'line?': whole,
    'column?': whole,
    severity: oneOf('error', 'warning'),
    reason: text,
    wayOut: text,
    'plugin?': text,
  }),
  LogRecord: object({
    seq: described(whole, 'Counts all entries of this log: 1 is the first.'),
    at: described(amount, 'Milliseconds since 1970.'),
    source: oneOf('plugin', 'stderr', 'stdout', 'host'),
    level: oneOf('debug', 'info', 'warn', 'error'),
    message: text,
    'data?': anything,
    'call?': text,
    'trace?': text,
  }),
  Tool: tool,
  ToolView: object({
    name: described(text, 'As it is called.'),
    plugin: text,
    tool: ref('Tool'),
    enabled: yesNo,
    clients: described(yesNo, 'Whether clients with a token or over MCP are offered it.'),
    'held?': described(
      oneOf('new', 'changed'),
      'Calls by others than its user wait until somebody approves it: it is new since its plugin was approved, or defined otherwise.',
    ),
  }),
  CommandView: object({ name: text, plugin: text, command, clients: yesNo }),
  Token: object({
    name: text,
    purpose: oneOf(...tokenPurposes, 'console'),
    'profile?': text,
    'createdAt?': text,
    'lastUsedAt?': text,
    'expiresAt?': text,
  }),
};
