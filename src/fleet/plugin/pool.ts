// The processes of one plugin, mostly one, each with its supervisor and its watchdog.
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Observer } from '../../channel/peer/listeners.ts';
import type { DialectName, PluginLimits, PluginSpec } from '../../definition/plugin-spec.ts';
import type { Tool } from '../../definition/tool.ts';
import type { HostEnd, ServerNews } from '../../dialect/host-dialect.ts';
import { Life, type ResolvedDialect } from '../supervisor/life.ts';
import { RestartBudget } from '../supervisor/restart-budget.ts';
import { Supervisor } from '../supervisor/supervisor.ts';
import { watch } from '../supervisor/watchdog.ts';
import { askedWork } from './asked-work.ts';
import type { DispatchSettings } from './dispatcher.ts';
import { Instance } from './instance.ts';
import type { LineSplitter } from './logs/line-splitter.ts';
import type { PluginLog } from './logs/plugin-log.ts';
import type { LiveInstance } from './open-call.ts';
import type { Surroundings } from './surroundings.ts';
import type { KeysIn } from './wire-marks.ts';

export interface PoolPorts {
  readonly log: PluginLog;
  /** What the next process is told of its configuration. */
  config(): JsonObject | undefined;
  /** Undefined when nobody looks. */
  observer(): Observer | undefined;
  changed(instance: LiveInstance): void;
  toolsChanged(tools: readonly Tool[]): void;
  news(news: ServerNews): void;
}

export interface Pool {
  readonly instances: readonly LiveInstance[];
  readonly settings: DispatchSettings;
  /** Known once the dialect is. */
  readonly limits: Required<PluginLimits> | undefined;
  /** In its dialect a tool may be there that no list names. */
  readonly takesUnlistedTools: boolean;
  /** In its dialect a plugin is told its configuration; undefined until the dialect is known. */
  readonly takesConfig: boolean | undefined;
  /** By which words messages about a call are known; undefined until the dialect is. */
  readonly keysIn: KeysIn | undefined;
}

/** Until the dialect is known. */
const CALL_MS = 30_000;

export function createPool(spec: PluginSpec, surroundings: Surroundings, ports: PoolPorts): Pool {
  const settings: DispatchSettings = {
    concurrency: countOf(spec.concurrency, 1),
    callMs: spec.limits?.callMs ?? CALL_MS,
    cancelMs: spec.limits?.cancelMs ?? 5000,
    timeoutKills: false,
    queueLimit: spec.queueLimit ?? 1024,
  };
  let resolved: ResolvedDialect | undefined;
  /** It is what the plugin spoke the last time, and nobody has heard it speak since. */
  let isRecalled = false;
  const resolve = async (signal: AbortSignal) => {
    const recalled = spec.dialect === undefined ? surroundings.introductions?.recall(spec) : undefined;
    isRecalled ||= resolved === undefined && recalled !== undefined;
    resolved ??= await resolveDialect(spec, recalled?.manifest.dialect, surroundings, signal, ports.log);
    const { dialect, limits } = resolved;
    settings.concurrency = countOf(spec.concurrency, dialect.traits.concurrency);
    settings.callMs = limits.callMs;
    settings.cancelMs = limits.cancelMs;
    settings.timeoutKills = dialect.traits.timeoutKills;
    return resolved;
  };
  /** Whatever it failed of: the next start asks for the dialect. */
  const doubt = () => {
    if (!isRecalled) return;
    isRecalled = false;
    resolved = undefined;
    surroundings.introductions?.forget(spec);
  };
  const dialect = { resolve, confirm: () => (isRecalled = false), doubt };
  const count = countOf(spec.instances, 1);
  const instances = Array.from({ length: count }, () => createInstance(spec, surroundings, ports, dialect));
  return {
    instances,
    settings,
    get limits() {
      return resolved?.limits;
    },
    get takesUnlistedTools() {
      return resolved?.dialect.traits.unlistedTools ?? false;
    },
    get takesConfig() {
      return resolved && resolved.dialect.traits.takesConfig === true;
    },
    get keysIn() {
      return resolved?.dialect.traits.keysIn;
    },
  };
}

/** With none at all, calls would wait for nobody. */
function countOf(given: number | undefined, usual: number): number {
  return given !== undefined && given >= 1 ? Math.floor(given) : given === undefined ? usual : 1;
}

interface PoolDialect {
  resolve(signal: AbortSignal): Promise<ResolvedDialect>;
  /** It has introduced itself in it. */
  confirm(): void;
  /** It has not. */
  doubt(): void;
}

function createInstance(
  spec: PluginSpec,
  surroundings: Surroundings,
  ports: PoolPorts,
  dialect: PoolDialect,
): LiveInstance {
  const { clock, launcher, secrets } = surroundings;
  let limits: Required<PluginLimits> | undefined;
  const supervisor = new Supervisor({
    name: spec.name,
    clock,
    budget: new RestartBudget(spec.restart ?? {}, clock, () => surroundings.random()),
    begin: (dying) => {
      const observer = ports.observer();
      const config = ports.config();
      const now = config === undefined ? spec : { ...spec, config };
      secrets.learn(launcher.secretsOf?.(now) ?? []);
      const life = new Life({
        spec: now,
        secrets,
        launcher,
        clock,
        takeTurn: surroundings.takeTurn,
        dying,
        async resolve(signal) {
          const resolved = await dialect.resolve(signal);
          ({ limits } = resolved);
          return resolved;
        },
        stderr: ports.log.stderr(),
        services: {
          log: (entry) => {
            instance.heard = true;
            ports.log.plugin(entry);
          },
          note: (entry) => ports.log.host(entry),
          trouble: (trouble) => ports.log.trouble(trouble),
          toolsChanged: (tools) => {
            instance.heard = true;
            ports.toolsChanged(tools);
          },
          news: (news) => ports.news(news),
          learn: (values) => secrets.learn(values),
          relaysQuestions: surroundings.relaysQuestions === true,
          ...(observer === undefined ? {} : { observer }),
          ...(surroundings.access === undefined ? {} : { access: surroundings.access }),
          ...(surroundings.work === undefined ? {} : askedWork(spec.name, surroundings.work)),
        },
      });
      life.connected.then(
        () => dialect.confirm(),
        () => dialect.doubt(),
      );
      return life;
    },
    watch: (life, end) =>
      watchInstance(spec, limits, instance, life, end, (port, watchLimits) =>
        watch(port, watchLimits, clock),
      ),
    changed: () => ports.changed(instance),
  });
  const instance: LiveInstance = new Instance(supervisor);
  return instance;
}

function watchInstance(
  spec: PluginSpec,
  limits: Required<PluginLimits> | undefined,
  instance: LiveInstance,
  life: Life,
  end: HostEnd,
  begin: (port: Parameters<typeof watch>[0], limits: Parameters<typeof watch>[1]) => () => void,
): () => void {
  const { pingEveryMs = 0, pingMs = 1000 } = limits ?? {};
  return begin(
    {
      name: spec.name,
      ...(end.ping === undefined
        ? {}
        : { ping: (limitMs: number) => end.ping?.(limitMs) ?? Promise.resolve() }),
      isBusy: () => instance.calls.size > 0,
      wasHeard: () => {
        const { heard } = instance;
        instance.heard = false;
        return heard;
      },
      isStopped: () => life.isStopped(),
      kill: (reason) => instance.supervisor.kill(reason),
    },
    { pingEveryMs, pingMs, liveness: spec.liveness ?? 'lenient' },
  );
}

async function resolveDialect(
  spec: PluginSpec,
  recalled: DialectName | undefined,
  { dialects, detect }: Surroundings,
  signal: AbortSignal,
  log: PluginLog,
): Promise<ResolvedDialect> {
  const name = spec.dialect ?? recalled ?? (await detected(spec, detect, signal, log.stderr()));
  if (name === undefined)
    throw new PluglotError(
      'DIALECT_UNKNOWN',
      `Nothing says which dialect plugin "${spec.name}" speaks. Name it: "dialect": one of ${Object.keys(dialects).join(', ')}.`,
    );
  const dialect = await loadDialect(dialects, name, spec);
  return { dialect, limits: { ...dialect.traits.limits, ...spec.limits } };
}

async function detected(
  spec: PluginSpec,
  detect: Surroundings['detect'],
  signal: AbortSignal,
  stderr: LineSplitter,
): Promise<DialectName | undefined> {
  try {
    return await detect?.(spec, signal, (chunk) => stderr.push(chunk));
  } finally {
    stderr.end();
  }
}

function loadDialect(dialects: Surroundings['dialects'], name: DialectName, spec: PluginSpec) {
  const load = dialects[name];
  if (load === undefined)
    throw new PluglotError(
      'DIALECT_UNKNOWN',
      `Plugin "${spec.name}" is said to speak ${name}, which this host does not: it speaks ${Object.keys(dialects).join(', ')}.`,
    );
  return load();
}
