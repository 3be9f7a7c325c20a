// G-Assist V2: driver, and checks of the handshake, the manifest, errors and the end.
import { isJsonArray, isJsonObject, type JsonObject } from '../base/json.ts';
import { MiB } from '../base/units.ts';
import { shown } from '../base/text.ts';
import { toolsOf } from '../dialect/gassist/manifest.ts';
import {
  type Check,
  type Severity,
  type GroupedCheck,
  group,
  doesNotApply,
  verdict,
  field,
  answered,
  isText,
  areTexts,
  handshakeOf,
} from './check.ts';
import { Unmet, type CallEnd, type Conversation, type Probe } from './conversation.ts';
import { type Driver, driver, initialize, endByResponse, request, padded } from './driver.ts';
import type { Subject } from './subject.ts';
import type { ReceivedMessage } from './transcript.ts';

export const gassistDriver: Driver = driver({
  dialect: 'gassist',
  framing: 'length-prefix',
  largestMessage: 10 * MiB,
  oversizeMessage: 10 * MiB + 1,
  async connect(conversation, manifest) {
    const raw = await initialize(conversation, {
      protocol_version: '2.0',
      engine_version: '1.0.0',
      capabilities: ['streaming', 'passthrough'],
    });
    const commands = isJsonObject(raw) ? raw['commands'] : undefined;
    return { raw, tools: toolsOf(isJsonArray(commands) ? commands : [], manifest) };
  },
  callMessage: (id, { tool, args }) => request(id, 'execute', { function: tool, arguments: args }),
  argumentsIn: 'arguments',
  endOfCall: (id, message) => endByNotification(id, message) ?? endByResult(id, message),
  livenessRequest: (id, _, padding) => request(id, 'ping', { timestamp: id, ...padded(padding) }),
  shutdown: () => ({ jsonrpc: '2.0', method: 'shutdown', params: {} }),
});

function endByNotification(id: number, message: JsonObject): CallEnd | undefined {
  const { method, params } = message;
  if (!isJsonObject(params) || params['request_id'] !== id) return undefined;
  if (method === 'complete') return { ok: params['success'] === true, message };
  if (method !== 'error') return undefined;
  const { code } = params;
  return { ok: false, ...(typeof code === 'number' ? { code } : {}), message };
}

/** The acknowledgement of an input is a response that does not end the call. */
function endByResult(id: number, message: JsonObject): CallEnd | undefined {
  const { result } = message;
  if (isJsonObject(result) && 'acknowledged' in result) return undefined;
  return endByResponse(id, message, () => isJsonObject(result) && result['success'] === true);
}

export interface Interview {
  /** The answer to a ping with `TIMESTAMP`. */
  readonly pong: Answered<JsonObject>;
  /** How long the fastest of some pings took. */
  readonly pingMs: Answered<number>;
  readonly input: Answered<InputAnswers>;
  /** How a call of an unknown function ended. */
  readonly unknownFunction: Answered<JsonObject>;
}

/** A value, or why it is missing, which the checks report. */
export type Answered<Value> = { readonly value: Value } | { readonly unmet: Unmet };

export interface InputAnswers {
  /** The first message about it, and how long that took. */
  readonly first: JsonObject;
  readonly firstMs: number;
  /** The notification that ended it. */
  readonly end: Answered<JsonObject>;
}

const TIMESTAMP = 1_234_567_890;

/** @throws Unmet */
export function valueOf<Value>(answer: Answered<Value>): Value {
  if ('unmet' in answer) throw answer.unmet;
  return answer.value;
}

/** For `subject.shared(interview)`. Requests that may end the plugin come last. */
export async function interview(subject: Subject): Promise<Interview> {
  const { conversation, probe } = await subject.connect();
  const unknown = { ...probe, tool: 'no_such_function', args: {} };
  return {
    pong: await attempted(conversation.request('ping', { timestamp: TIMESTAMP })),
    pingMs: await attempted(fastestPing(conversation)),
    input: await attempted(sendInput(conversation, probe, subject.limits.callMs)),
    unknownFunction: await attempted(conversation.call(unknown).then(({ message }) => message)),
  };
}

async function attempted<Value>(asked: Promise<Value>): Promise<Answered<Value>> {
  try {
    return { value: await asked };
  } catch (thrown) {
    if (thrown instanceof Unmet) return { unmet: thrown };
    throw thrown;
  }
}

/** A busy machine may delay some answers; a slow plugin delays all. */
async function fastestPing(conversation: Conversation): Promise<number> {
  let fastest = Infinity;
  for (let sent = 0; sent < PINGS; sent += 1) {
    const askedAt = conversation.now();
    await conversation.request('ping', { timestamp: TIMESTAMP });
    fastest = Math.min(fastest, Math.round(conversation.now() - askedAt));
  }
  return fastest;
}

const PINGS = 3;

/** After a call, which may open a session. */
export async function sendInput(
  conversation: Conversation,
  probe: Probe,
  callMs: number,
): Promise<InputAnswers> {
  await conversation.call(probe);
  const id = conversation.nextId();
  const sentAt = conversation.now();
  conversation.send({ jsonrpc: '2.0', id, method: 'input', params: { content: 'Hello?', timestamp: 0 } });
  const isFirst = ({ message }: ReceivedMessage) => message['id'] === id || isFor(id, message);
  const isEnd = ({ message }: ReceivedMessage) =>
    isFor(id, message) && END_METHODS.includes(message['method']);
  const first = await conversation.waitFor('an acknowledgement of the input', isFirst);
  const isRefused = 'error' in first.message;
  return {
    first: first.message,
    firstMs: Math.round(first.at - sentAt),
    end: await attempted(
      isRefused
        ? Promise.reject(new Unmet('The input was refused.'))
        : conversation
            .waitFor('a complete or an error for the input', isEnd, callMs)
            .then(({ message }) => message),
    ),
  };
}

function isFor(id: number, { params }: JsonObject): boolean {
  return isJsonObject(params) && params['request_id'] === id;
}

const END_METHODS: readonly unknown[] = ['complete', 'error'];

export const gassistHandshakeChecks = group('Handshake', [
  {
    id: 'gassist:initialize:result-name',
    title: 'The plugin says its name',
    fix: 'Answer initialize with "name", a string that is not empty.',
    run: field(handshakeOf, 'name', isText),
  },
  {
    id: 'gassist:initialize:result-version',
    title: 'The plugin says its version',
    fix: 'Answer initialize with "version" such as "1.0.0".',
    run: field(handshakeOf, 'version', isText),
  },
  {
    id: 'gassist:initialize:result-capabilities',
    title: 'The plugin says what it is capable of',
    // The official SDKs leave them out, and engines read that as "unknown".
    severity: 'warning',
    fix: 'Answer initialize with "capabilities": ["streaming"], and "passthrough" beside it where you take inputs.',
    run: field(handshakeOf, 'capabilities', areTexts),
  },
  {
    id: 'gassist:author:introduction',
    title: 'The plugin says which version of the protocol it speaks, and which commands it has',
    severity: 'info',
    fix: 'Answer initialize with "protocol_version": "2.0" and "commands": [{ "name", "description" }], as official plugins do.',
    async run(subject) {
      const { protocol_version: version, commands } = await handshakeOf(subject);
      const isGood = version === '2.0' && isJsonArray(commands) && commands.every(isCommand);
      return verdict(isGood, `protocol_version is ${shown(version)}, commands is ${shown(commands)}`);
    },
  },
  {
    id: 'gassist:author:other-version-refused',
    title: 'An engine of another version is refused',
    severity: 'info',
    fix: 'Answer initialize with the error -32602 when protocol_version is there and is not 2.x.',
    async run(subject) {
      const conversation = await subject.start();
      const answer = await conversation.request('initialize', { protocol_version: '1.0' });
      return answered('error' in answer, answer);
    },
  },
]);

function isCommand(command: unknown): boolean {
  return (
    isJsonObject(command) && typeof command['name'] === 'string' && typeof command['description'] === 'string'
  );
}

export const gassistManifestChecks = group('manifest.json', [
  manifestField('manifest-version', 'manifestVersion', 'error', (value) => value === 1, {
    title: 'manifest.json has manifestVersion 1',
    fix: 'Put "manifestVersion": 1 into manifest.json: engines take no other.',
  }),
  manifestField('protocol-version', 'protocol_version', 'warning', (value) => value === '2.0', {
    title: 'manifest.json names the version of the protocol',
    fix: 'Put "protocol_version": "2.0" into manifest.json: without it the plugin is taken for one of V1.',
  }),
  manifestField('executable', 'executable', 'error', isText, {
    title: 'manifest.json names the program to be started',
    fix: 'Put "executable" into manifest.json, such as "plugin.py".',
  }),
  manifestField('name', 'name', 'info', isText, {
    title: 'manifest.json has the name of the plugin',
    fix: 'Put "name" into manifest.json.',
  }),
  manifestField('version', 'version', 'info', isText, {
    title: 'manifest.json has the version of the plugin',
    fix: 'Put "version" into manifest.json.',
  }),
  manifestField('functions', 'functions', 'error', (value) => isJsonArray(value) && value.every(isFunction), {
    title: 'manifest.json lists the functions, each with a name and a description',
    fix: 'Put "functions": [{ "name", "description", "tags", "properties", "required" }] into manifest.json.',
  }),
]);

function manifestField(
  demand: string,
  key: string,
  severity: Severity,
  isGood: (value: unknown) => boolean,
  words: Pick<Check, 'title' | 'fix'>,
): GroupedCheck {
  return {
    id: `gassist:manifest:${demand}`,
    severity,
    ...words,
    async run({ manifest }) {
      if (manifest === undefined) return doesNotApply('There is no manifest.json beside the plugin.');
      return verdict(isGood(manifest[key]), `${key} is ${shown(manifest[key], 200)}`);
    },
  };
}

function isFunction(one: unknown): boolean {
  return isJsonObject(one) && isText(one['name']) && isText(one['description']);
}

export const gassistPingChecks = group('Liveness', [
  {
    id: 'gassist:ping:timestamp',
    title: 'A ping is answered with its timestamp',
    fix: 'Answer ping with { "timestamp": … }, the one that came: by this key the engine knows a pong.',
    async run(subject) {
      const answer = valueOf((await subject.shared(interview)).pong);
      const { result } = answer;
      const isGood = isJsonObject(result) && result['timestamp'] === TIMESTAMP;
      return answered(isGood, answer);
    },
  },
  {
    id: 'gassist:ping:within-1s',
    title: 'A ping is answered within one second',
    fix: 'Answer ping where it is read, before any other work: the engine ends a plugin that misses two.',
    async run(subject) {
      const took = valueOf((await subject.shared(interview)).pingMs);
      return verdict(took <= 1000, `The fastest answer took ${took} ms.`);
    },
  },
]);
