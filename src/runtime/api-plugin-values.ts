// The host, plugins, tools and commands in the API: one schema each, from which the types come.
import type { CommandManifest, Health, Manifest } from '../definition/manifest.ts';
import type { Tool } from '../definition/tool.ts';
import type { Problem } from '../fleet/discovery/problem.ts';
import type { KeptRecord } from '../fleet/plugin/logs/log-book.ts';
import {
  amount,
  anything,
  anyObject,
  described,
  is,
  list,
  named,
  object,
  oneOf,
  schema,
  text,
  whole,
  yesNo,
  type ValueOf,
} from './api-schema.ts';
import { tokenPurposes } from './tokens/token-purposes.ts';
import type { TokenView } from './tokens/tokens.ts';

const logLevel = oneOf('debug', 'info', 'warn', 'error');
const jsonSchema = schema<NonNullable<Tool['inputSchema']>>({
  type: ['object', 'boolean'],
  description: 'A JSON Schema.',
});

const Index = named(
  'Index',
  object({
    name: text,
    version: text,
    links: schema<Readonly<Record<string, { readonly href: string; readonly title: string }>>>({
      type: 'object',
      additionalProperties: object({ href: text, title: text }).json,
      description: 'By the ids of operations.',
    }),
  }),
);

const sandbox = object(
  {
    'kind?': oneOf('bubblewrap', 'sandbox-exec'),
    'missing?': described(text, 'Why there is none, and how to change that.'),
    limits: object({ memory: yesNo, processes: yesNo }, 'Which limits hold.'),
  },
  'The sandbox of confined programs on this machine.',
);
export type SandboxView = ValueOf<typeof sandbox>;

const health = object({
  status: described(oneOf('ok', 'degraded'), 'degraded: a plugin that should work does not.'),
  'version?': text,
  'uptimeMs?': whole,
  'plugins?': object({ ready: whole, total: whole }),
  'console?': described(text, 'The address of the console, where there is one.'),
  'sandbox?': sandbox,
});
/** Without a token that opens the API there is only the status. */
export type HealthView = Required<Omit<ValueOf<typeof health>, 'console'>> &
  Pick<ValueOf<typeof health>, 'console'>;
const HealthSchema = named('Health', is<HealthView>(health));

const PluginStats = named(
  'PluginStats',
  object({
    calls: described(whole, 'Since the host was started.'),
    failures: whole,
    running: whole,
    waiting: whole,
    p50Ms: described(amount, 'Of the last minutes; 0 where there were no calls.'),
    p99Ms: amount,
    perSecond: schema<readonly number[]>({
      ...list(whole).json,
      minItems: 60,
      maxItems: 60,
      description: 'Calls in each of the last 60 seconds, the oldest first.',
    }),
  }),
);
export type PluginStats = ValueOf<typeof PluginStats>;

const plugin = {
  name: text,
  origin: oneOf('built-in', 'in-process', 'process'),
  dialect: described(
    text,
    'gassist, gevals, mcp, planner, yams; in-process; or unknown, until it was asked.',
  ),
  state: is<string>(
    oneOf('starting', 'ready', 'busy', 'unhealthy', 'backoff', 'stopping', 'stopped', 'failed', 'disabled'),
  ),
  sinceMs: described(amount, 'How long it is in this state.'),
  'reason?': described(text, 'Why it is in this state.'),
  restarts: whole,
  pids: list(whole),
  'talks?': described(yesNo, 'Whether its tools may begin conversations; left out until it was asked.'),
  'talking?': described(yesNo, 'Its process is in a conversation: other calls wait for its end.'),
  'lazy?': described(yesNo, 'It is started when it is first used.'),
  'sandbox?': object(
    {
      network: yesNo,
      folders: schema<Readonly<Record<string, 'read-only' | 'writable'>>>({
        type: 'object',
        additionalProperties: oneOf('read-only', 'writable').json,
      }),
    },
    'It is confined, and what it sees beside its own files.',
  ),
  command: described(text, 'How it is started, without secrets.'),
  'from?': described(text, 'The file that configures it.'),
  'changed?': described(text, 'How its configuration differs from what runs, and how to apply it.'),
  'untrusted?': object({ reason: text, wayOut: text }, 'Why it may not be started yet.'),
  stats: PluginStats,
};

const Plugin = named(
  'Plugin',
  object({ ...plugin, 'tools?': described(whole, 'How many; left out until it was asked.') }),
);
export type PluginView = ValueOf<typeof Plugin>;

const ToolSchema = named(
  'Tool',
  is<Tool>(
    object({
      name: text,
      'title?': text,
      'description?': text,
      'inputSchema?': jsonSchema,
      'outputSchema?': jsonSchema,
      'tags?': list(text),
      'hints?': object({
        'readOnly?': yesNo,
        'destructive?': yesNo,
        'idempotent?': yesNo,
        'openWorld?': yesNo,
      }),
      'facet?': oneOf('extractor', 'planner', 'executor', 'talk'),
      'autoApprove?': yesNo,
    }),
  ),
);
const clients = described(yesNo, 'Whether clients with a token or over MCP are offered it.');

const ToolViewSchema = named(
  'ToolView',
  object({
    name: described(text, 'plugin__tool'),
    plugin: text,
    tool: described(ToolSchema, 'As the plugin declares it, under its own name.'),
    enabled: yesNo,
    clients,
    'held?': described(
      oneOf('new', 'changed'),
      'Calls by others than its user wait for an approval: it is new, or defined differently, since its plugin was approved.',
    ),
  }),
);
export type ToolView = ValueOf<typeof ToolViewSchema>;

const CommandViewSchema = named(
  'CommandView',
  object({
    name: text,
    plugin: text,
    command: is<CommandManifest>(
      object({
        name: text,
        'description?': text,
        parameters: list(
          object({ name: text, 'description?': text, 'required?': yesNo, 'captureRest?': yesNo }),
        ),
        shareWithModel: yesNo,
        'forUsersOnly?': yesNo,
      }),
    ),
    clients,
  }),
);
export type CommandView = ValueOf<typeof CommandViewSchema>;

const PluginDetailsSchema = named(
  'PluginDetails',
  object({
    ...plugin,
    'version?': text,
    'description?': text,
    'manifest?': is<Manifest>(described(anyObject, 'Its manifest, without secrets.')),
    tools: list(ToolViewSchema),
    commands: list(CommandViewSchema),
    'instructions?': text,
    health: is<Health>(
      object({ status: oneOf('ok', 'degraded', 'error'), 'message?': text, 'details?': anything }),
    ),
  }),
);
export type PluginDetails = ValueOf<typeof PluginDetailsSchema>;

const ConfigurationProblem = named(
  'ConfigurationProblem',
  is<Problem>(
    object({
      file: text,
      'line?': whole,
      'column?': whole,
      severity: oneOf('error', 'warning'),
      reason: text,
      wayOut: text,
      'plugin?': text,
      'denies?': described(yesNo, 'Calls are denied until it is fixed.'),
    }),
  ),
);

const LogRecord = named(
  'LogRecord',
  is<KeptRecord>(
    object({
      seq: described(whole, 'Counts all entries of this log: 1 is the first.'),
      at: described(amount, 'Milliseconds since 1970.'),
      source: oneOf('plugin', 'stderr', 'stdout', 'host'),
      level: logLevel,
      message: text,
      'data?': anything,
      'call?': text,
      'trace?': text,
    }),
  ),
);

const Token = named(
  'Token',
  is<TokenView>(
    object({
      id: described(text, 'Unlike the name, never given to another token. It opens nothing.'),
      name: text,
      purpose: oneOf(...tokenPurposes, 'console'),
      'profile?': text,
      'createdAt?': text,
      'lastUsedAt?': text,
      'expiresAt?': text,
    }),
  ),
);

export const pluginValues = {
  command: CommandViewSchema,
  configurationProblem: ConfigurationProblem,
  health: HealthSchema,
  index: Index,
  logRecord: LogRecord,
  plugin: Plugin,
  pluginDetails: PluginDetailsSchema,
  pluginStats: PluginStats,
  token: Token,
  tool: ToolSchema,
  toolView: ToolViewSchema,
};
