// The processes of one plugin, mostly one, each with its supervisor and its watchdog.
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Observer } from '../../channel/peer/options.ts';
import {
  dialectNames,
  type DialectName,
  type PluginLimits,
  type PluginSpec,
} from '../../definition/plugin-spec.ts';
import type { Tool } from '../../definition/tool.ts';
import type { WirePort, ServerNews } from '../../dialect/host-dialect.ts';
import { Life, type ResolvedDialect, type StartHistory } from '../supervisor/life.ts';
import { RestartBudget } from '../supervisor/restart-budget.ts';
import { Supervisor } from '../supervisor/supervisor.ts';
import { watch } from '../supervisor/watchdog.ts';
import { askedWork, type FleetEnvironment } from './environment.ts';
import type { DispatchSettings } from './dispatcher.ts';
import { Instance } from './instance.ts';
import type { LineSplitter } from './logs/line-splitter.ts';
import type { PluginLog } from './logs/plugin-log.ts';
import type { LiveInstance } from './open-call.ts';
import type { KeysIn } from './wire-marks.ts';

export interface PoolPorts {
  readonly log: PluginLog;
  /** The configuration for the next process. */
  config(): JsonObject | undefined;
  /** Undefined when messages are not observed. */
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
  /** The handshake of its dialect sends a configuration; undefined until the dialect is known. */
  readonly takesConfig: boolean | undefined;
  /** By which words messages about a call are known; undefined until the dialect is. */
  readonly keysIn: KeysIn | undefined;
}

/** Until the dialect is known. */
const CALL_MS = 30_000;

export function createPool(spec: PluginSpec, environment: FleetEnvironment, ports: PoolPorts): Pool {
  const settings: DispatchSettings = {
    concurrency: countOf(spec.concurrency, 1),
    callMs: spec.limits?.callMs ?? CALL_MS,
    cancelMs: spec.limits?.cancelMs ?? 5000,
    fatalFailures: [],
    queueLimit: spec.queueLimit ?? 1024,
  };
  let resolved: ResolvedDialect | undefined;
  /** The dialect is that of an earlier run, and not confirmed by a handshake yet. */
  let isCached = false;
  const resolve = async (signal: AbortSignal) => {
    const cached = spec.dialect === undefined ? environment.manifestCache?.get(spec) : undefined;
    isCached ||= resolved === undefined && cached !== undefined;
    const spoken = dialectNames.find((name) => name === cached?.manifest.dialect);
    resolved ??= await resolveDialect(spec, spoken, environment, signal, ports.log);
    const { dialect, limits } = resolved;
    settings.concurrency = countOf(spec.concurrency, dialect.traits.concurrency);
    settings.callMs = limits.callMs;
    settings.cancelMs = limits.cancelMs;
    settings.fatalFailures = dialect.traits.fatalFailures ?? [];
    return resolved;
  };
  /** Whatever it failed of: the next start asks for the dialect. */
  const doubt = () => {
    if (!isCached) return;
    isCached = false;
    resolved = undefined;
    environment.manifestCache?.delete(spec);
  };
  const dialect = { resolve, confirm: () => (isCached = false), doubt };
  const count = countOf(spec.instances, 1);
  const instances = Array.from({ length: count }, () => createInstance(spec, environment, ports, dialect));
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

/** At least one, or calls would wait for ever. */
function countOf(given: number | undefined, usual: number): number {
  return given !== undefined && given >= 1 ? Math.floor(given) : given === undefined ? usual : 1;
}

interface PoolDialect {
  resolve(signal: AbortSignal): Promise<ResolvedDialect>;
  /** The handshake succeeded. */
  confirm(): void;
  /** It has not. */
  doubt(): void;
}

function createInstance(
  spec: PluginSpec,
  environment: FleetEnvironment,
  ports: PoolPorts,
  dialect: PoolDialect,
): LiveInstance {
  const { clock, launcher, secrets } = environment;
  let limits: Required<PluginLimits> | undefined;
  const starts: StartHistory = { way: 'try-both' };
  const supervisor = new Supervisor({
    name: spec.name,
    clock,
    budget: new RestartBudget(spec.restart ?? {}, clock, () => environment.random()),
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
        takeTurn: environment.takeTurn,
        dying,
        starts,
        async resolve(signal) {
          const resolved = await dialect.resolve(signal);
          ({ limits } = resolved);
          return resolved;
        },
        stderr: ports.log.stderr(),
        services: {
          log: (entry) => {
            instance.isAlive = true;
            ports.log.plugin(entry);
          },
          note: (entry) => ports.log.host(entry),
          trouble: (trouble) => ports.log.trouble(trouble),
          toolsChanged: (tools) => {
            instance.isAlive = true;
            ports.toolsChanged(tools);
          },
          news: (news) => ports.news(news),
          learn: (values) => secrets.learn(values),
          relaysQuestions: environment.relaysQuestions === true,
          ...(observer === undefined ? {} : { observer }),
          ...(environment.access === undefined ? {} : { access: environment.access }),
          ...(environment.work === undefined ? {} : askedWork(spec.name, environment.work)),
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
  end: WirePort,
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
        const { isAlive } = instance;
        instance.isAlive = false;
        return isAlive;
      },
      isStopped: () => life.isStopped(),
      kill: (reason) => instance.supervisor.kill(reason),
    },
    { pingEveryMs, pingMs, liveness: spec.liveness ?? 'lenient' },
  );
}

async function resolveDialect(
  spec: PluginSpec,
  cached: DialectName | undefined,
  { dialects, detect }: FleetEnvironment,
  signal: AbortSignal,
  log: PluginLog,
): Promise<ResolvedDialect> {
  const name = spec.dialect ?? cached ?? (await detected(spec, detect, signal, log.stderr()));
  if (name === undefined)
    throw new PluglotError(
      'DIALECT_UNKNOWN',
      `The dialect of plugin "${spec.name}" is not known. Set "dialect" to one of ${Object.keys(dialects).join(', ')}.`,
    );
  const dialect = await loadDialect(dialects, name, spec);
  return { dialect, limits: { ...dialect.traits.limits, ...spec.limits } };
}

async function detected(
  spec: PluginSpec,
  detect: FleetEnvironment['detect'],
  signal: AbortSignal,
  stderr: LineSplitter,
): Promise<DialectName | undefined> {
  try {
    return await detect?.(spec, signal, (chunk) => stderr.push(chunk));
  } finally {
    stderr.end();
  }
}

function loadDialect(dialects: FleetEnvironment['dialects'], name: DialectName, spec: PluginSpec) {
  const load = dialects[name];
  if (load === undefined)
    throw new PluglotError(
      'DIALECT_UNKNOWN',
      `Plugin "${spec.name}" has the dialect ${name}, which this host does not speak. It speaks ${Object.keys(dialects).join(', ')}.`,
    );
  return load();
}
