// The host's end of planners and executors: sends them requests, and executes the tasks that a planner sends up its pipe.
import { defined, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/text.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { CallSink } from '../../definition/outcome.ts';
import type { CodeRequest, TaskRequest } from '../../definition/plan.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import {
  defaultLimits,
  type DialectTraits,
  type HostDialect,
  type WirePort,
  type HostServices,
} from '../host-dialect.ts';
import type { ExecutorPort } from '../../definition/plugin-port.ts';
import { closePeer, pluginPeer, refusal, replyTo, unexpected } from '../host-base.ts';
import { talkBy } from '../talk-tool.ts';
import { toWire, type AnyShape } from '../shape.ts';
import { Calls, Retries, type Question } from './calls.ts';
import { AUTHENTICATION_FAILED, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND } from './codes.ts';
import { readParams, RequestLog, StreamedAnswers } from './requests.ts';
import { taskResultToWire, verdictToWire } from './results.ts';
import {
  codeRequest,
  contextUpdate,
  DISCOVERY_FORM,
  methods,
  plainDiscovery,
  planRequest,
  readDiscovery,
  rolesIn,
  taskRequest,
  toolsOf,
  type Discovery,
  type Role,
} from './schema.ts';
import { IncomingStreams, keysIn } from './streams.ts';
import { PlannerWire, refuseUnauthenticated } from './wire.ts';

const traits: DialectTraits = { limits: defaultLimits, concurrency: 64, keysIn };

export const planner: HostDialect = { name: 'planner', traits, connect };

async function connect(pipe: Pipe, spec: PluginSpec, services: HostServices): Promise<WirePort> {
  const { clock } = services;
  const settings = settingsOf(spec);
  const messageBytes = spec.limits?.messageBytes ?? traits.limits.messageBytes;
  const report = (reason: string, text: string) => services.trouble({ kind: 'invalid', reason, text });
  const wire = new PlannerWire({ receiveLimit: messageBytes, secret: settings.secret, report });
  const peer = pluginPeer(pipe, wire, spec.name, services);
  refuseUnauthenticated(peer);
  executeForPlanner(peer, services);
  const streams = new IncomingStreams(peer, (reason, got) => report(reason, shown(got)));
  try {
    const { discovery, isPlain, manifest } = await handshake(peer, spec, settings, services.signal);
    wire.sendsGzip = discovery.gzip;
    const calls = new Calls({
      peer,
      streams,
      clock,
      keptText: messageBytes,
      retries: new Retries({ retries: settings.retries, addsKeys: !isPlain, clock, random: Math.random }),
      requestLog: settings.logsRequests
        ? new RequestLog(clock, (entry) => services.note?.(entry))
        : undefined,
    });
    const plugin = spec.name;
    const call: WirePort['call'] = ({ tool, args }, sink) =>
      calls.start({ plugin, method: tool, form: 'wire', params: args, sink });
    return {
      manifest,
      ...(isPlain && { isAssumed: true }),
      call,
      ...talkBy(manifest.tools, call),
      ...facetsOf(plugin, discovery, calls),
      // The protocol has no shutdown: the plugin ends when its input ends.
      shutdown: () => Promise.resolve(),
      close: () => closePeer(peer),
      ended: peer.ended,
    };
  } catch (error) {
    closePeer(peer);
    throw error;
  }
}

/** A planner may send the tasks of its plan up its own pipe. */
function executeForPlanner(peer: Peer, { clock, executeTask, validateCode }: HostServices): void {
  const answers = new StreamedAnswers(peer, false);
  if (executeTask !== undefined)
    peer.handle(methods.executeTask, async (params, context) => {
      const request = readParams(taskRequest, params);
      const startedAt = clock.now();
      const answer = await answers.answer(context, (sink) => executeTask(request, sink));
      return taskResultToWire(answer, Math.round(clock.now() - startedAt));
    });
  if (validateCode !== undefined)
    peer.handle(methods.validateCode, async (params, context) => {
      const request = readParams(codeRequest, params);
      return verdictToWire(await answers.answer(context, (sink) => validateCode(request, sink)));
    });
}

function facetsOf(
  plugin: string,
  { roles, batch }: Discovery,
  calls: Calls,
): Pick<WirePort, 'planner' | 'executor' | 'updateContext'> {
  const question = (method: string, shape: AnyShape, request: object, sink: CallSink): Question => ({
    plugin,
    method,
    form: 'neutral',
    params: toWire(shape, request),
    sink,
  });
  const task = (request: TaskRequest, sink: CallSink) =>
    question(methods.executeTask, taskRequest, request, sink);
  const code = (request: CodeRequest, sink: CallSink) =>
    question(methods.validateCode, codeRequest, request, sink);
  const batched: ExecutorPort['batch'] = (questions) =>
    calls.startAll(
      questions.map((one) =>
        one.kind === 'task' ? task(one.request, one.sink) : code(one.request, one.sink),
      ),
    );
  const executor: ExecutorPort = {
    executeTask: (request, sink) => calls.start(task(request, sink)),
    validateCode: (request, sink) => calls.start(code(request, sink)),
    ...(batch && { batch: batched }),
  };
  return {
    ...(roles.includes('planner') && {
      planner: {
        createPlan: (request, sink) => calls.start(question(methods.createPlan, planRequest, request, sink)),
      },
    }),
    ...(roles.includes('executor') && { executor }),
    updateContext: (update, sink) =>
      calls.start(question(methods.updateContext, contextUpdate, update, sink)),
  };
}

interface Handshake {
  readonly discovery: Discovery;
  readonly manifest: Manifest;
  /** The plugin does not know rpc.discover. */
  readonly isPlain: boolean;
}

/** The errors with which programs answer a method that they do not know. */
const unknownMethod: readonly number[] = [METHOD_NOT_FOUND, INVALID_PARAMS, INVALID_REQUEST];

/** @throws PluglotError that names the plugin */
async function handshake(
  peer: Peer,
  { name }: PluginSpec,
  { roles, forPlugin }: HostSettings,
  signal: AbortSignal,
): Promise<Handshake> {
  const question = { pluginName: name, method: methods.discover };
  const params = defined({ gzip: true, batch: true, config: forPlugin });
  const reply = await replyTo(question, peer.request(methods.discover, params, { signal }));
  if ('result' in reply) {
    const discovery = readDiscovery(reply.result);
    if (discovery === undefined) throw unexpected(question, reply.result, DISCOVERY_FORM);
    // It was read as an object, and parsed from JSON.
    return { discovery, manifest: manifestOf(name, discovery, reply.result as Json), isPlain: false };
  }
  const { error } = reply;
  if (!unknownMethod.includes(error.code)) throw refusal(question, error, 'START_FAILED', fixFor(error.code));
  const discovery = plainDiscovery(roles);
  return { discovery, manifest: manifestOf(name, discovery, {}), isPlain: true };
}

function fixFor(wireCode: number): string {
  return wireCode === AUTHENTICATION_FAILED
    ? 'Both ends need the same secret: set "config": { "secret": … } of the plugin, best as a reference such as ${env:NAME}.'
    : '';
}

function manifestOf(pluginName: string, discovery: Discovery, raw: Json): Manifest {
  const { name = pluginName, version, description, instructions, roles, gzip, batch, auth } = discovery;
  return {
    name,
    version: version || 'unknown',
    dialect: 'planner',
    ...defined({ description, instructions }),
    interfaces: roles.map((id) => ({ id })),
    capabilities: { gzip, batch, auth },
    tools: toolsOf(discovery),
    raw: isJsonObject(raw) ? raw : {},
  };
}

/** The configuration of the plugin: for this host, and for the plugin itself. */
interface HostSettings {
  readonly secret?: string;
  readonly roles: readonly Role[];
  /** How many attempts at a task may follow the first. */
  readonly retries: number;
  readonly logsRequests: boolean;
  readonly forPlugin?: JsonObject;
}

const DEFAULT_RETRIES = 2;
const MOST_RETRIES = 20;

function settingsOf({ config = {} }: PluginSpec): HostSettings {
  const { secret, roles, retries, log_requests: logRequests, ...forPlugin } = config;
  const named = rolesIn(roles);
  return defined({
    secret: typeof secret === 'string' && secret !== '' ? secret : undefined,
    roles: named.length === 0 ? (['planner', 'executor'] as const) : named,
    retries:
      typeof retries === 'number' && retries >= 0
        ? Math.min(Math.floor(retries), MOST_RETRIES)
        : DEFAULT_RETRIES,
    logsRequests: logRequests === true,
    forPlugin: Object.keys(forPlugin).length === 0 ? undefined : forPlugin,
  });
}
