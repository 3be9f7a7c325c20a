// A check: one sentence about good plugins, and how to find out whether it is true of this one. CONTRIBUTING.md says how to add one.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { shown } from '../base/text.ts';
import { describeExit, Unmet, type Conversation, type Probe } from './conversation.ts';
import { codeOf } from './driver.ts';
import type { ConnectedPlugin, Subject } from './subject.ts';
import type { ReceivedMessage } from './transcript.ts';

export interface Check {
  /** A requirement from the catalogue of the dialect, or `fault:…`. */
  readonly id: string;
  /** What a good plugin does. */
  readonly title: string;
  /** `error`: required by the specification. `warning`: recommended. `info`: good to know. */
  readonly severity: Severity;
  /** The heading in the report. */
  readonly theme: string;
  /** How the author fixes a plugin that fails. */
  readonly fix: string;
  /** Rejects with `Unmet` when an expected message did not arrive, which is a failure too. */
  readonly run: (subject: Subject) => Promise<Finding>;
}

export type Severity = 'error' | 'warning' | 'info';

export interface Finding {
  /** `does-not-apply`: the plugin does not declare the feature. A check that cannot see what it needs has failed. */
  readonly verdict: 'passed' | 'failed' | 'does-not-apply';
  /** The observation, as a sentence or an excerpt of the messages. */
  readonly seen: string;
}

export type GroupedCheck = Omit<Check, 'theme' | 'severity'> & Partial<Pick<Check, 'severity'>>;

/** Checks under one heading. Without a severity, a check is an error. */
export function group(theme: string, checks: readonly GroupedCheck[]): readonly Check[] {
  return checks.map((check) => ({ severity: 'error', theme, ...check }));
}

export function passed(seen: string): Finding {
  return { verdict: 'passed', seen };
}

export function failed(seen: string): Finding {
  return { verdict: 'failed', seen };
}

export function doesNotApply(seen: string): Finding {
  return { verdict: 'does-not-apply', seen };
}

/** Passed or failed, with the same observation. */
export function verdict(isGood: boolean, seen: string): Finding {
  return isGood ? passed(seen) : failed(seen);
}

/** The plugin does not declare what the check is about: the check ends with `does-not-apply`. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}

/** Passed when the value of one field is good. With `absent`, the check does not apply where the field is missing. */
export function field(
  source: (subject: Subject) => Promise<JsonObject>,
  name: string,
  isGood: (value: Json | undefined) => boolean,
  absent?: string,
): Check['run'] {
  return async (subject) => {
    const { [name]: value } = await source(subject);
    if (absent !== undefined && value === undefined) return doesNotApply(absent);
    return verdict(isGood(value), `${name} is ${shown(value)}`);
  };
}

/** Passed when the answer is an error with this code. */
export function answersWith(
  code: number,
  ask: (connected: ConnectedPlugin) => Promise<JsonObject | { readonly message: JsonObject }>,
): Check['run'] {
  return async (subject) => {
    const answer = await ask(await subject.connect());
    // A call gives its response beside the outcome; a response itself has no member "message".
    const message: JsonObject = isJsonObject(answer['message']) ? answer['message'] : answer;
    return answered(codeOf(message) === code, message);
  };
}

export function answered(isGood: boolean, answer: unknown): Finding {
  return verdict(isGood, `It answered ${shown(answer, 200)}`);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** A list of strings, which may be empty. */
export function areTexts(value: Json | undefined): boolean {
  return isJsonArray(value) && value.every((item) => typeof item === 'string');
}

export function isSemanticVersion(value: unknown): boolean {
  return typeof value === 'string' && /^\d+\.\d+\.\d+(?:[-+].*)?$/.test(value);
}

/** What the plugin declared in the recorded session; empty where that is not an object. */
export async function handshakeOf(subject: Subject): Promise<JsonObject> {
  const { handshake } = await subject.session();
  return isJsonObject(handshake.raw) ? handshake.raw : {};
}

/** The result of the recorded call. @throws Unmet when it is not an object */
export async function recordedResult(subject: Subject): Promise<JsonObject> {
  const { call } = await subject.session();
  if (call.end === undefined) throw new Unmet(call.problem ?? 'The call never ended.');
  const { result } = call.end.message;
  if (isJsonObject(result)) return result;
  throw new Unmet(`Expected a result of "${call.probe.tool}"; it answered ${shown(call.end.message, 200)}`);
}

/** Passed when the recorded session has logs whose params are all good. */
export function logged(method: string, isGood: (params: JsonObject) => boolean): Check['run'] {
  return async (subject) => {
    const { transcript } = await subject.session();
    const logs = transcript.received.filter(({ message }) => message['method'] === method);
    if (logs.length === 0) return doesNotApply('It logged nothing.');
    const wrong = logs.find(({ message: { params } }) => !isGood(isJsonObject(params) ? params : {}));
    return verdict(
      wrong === undefined,
      wrong === undefined ? `${logs.length} logs.` : shown(wrong.message, 200),
    );
  };
}

/** Of the recorded session. */
export async function answersShutdown(subject: Subject): Promise<Finding> {
  const { shutdown } = await subject.session();
  return verdict(shutdown !== undefined && 'result' in shutdown, `It answered ${shown(shutdown)}`);
}

/** Of the recorded session. */
export async function exitsAfterShutdown(subject: Subject): Promise<Finding> {
  const { exit } = await subject.session();
  if (exit === undefined) return failed('It still runs.');
  return verdict(exit.kind === 'exited' && exit.exitCode === 0, describeExit(exit));
}

export const refusesNonJson: Pick<Check, 'title' | 'fix' | 'run'> = {
  title: 'Input that is not JSON is answered with -32700',
  fix: 'Catch what the parser throws and answer with the error -32700 and id null.',
  async run(subject) {
    const { conversation } = await subject.connect();
    conversation.send('{"jsonrpc": "2.0", nonsense');
    const { message } = await conversation.waitFor('the error -32700', ({ message }) => 'error' in message);
    return answered(codeOf(message) === -32700, message);
  },
};

/** The error may have the id of the request, or null. */
export const refusesNoMethod: Pick<Check, 'title' | 'fix' | 'run'> = {
  title: 'A request without a method is answered with -32600',
  fix: 'Check that "method" is there and a string, and answer with the error -32600 when it is not.',
  async run(subject) {
    const { conversation } = await subject.connect();
    const id = conversation.nextId();
    conversation.send({ jsonrpc: '2.0', id, params: {} });
    const isAnswer = ({ message }: ReceivedMessage) =>
      conversation.isAnswer(id, message) || isUnaddressed(message);
    const { message } = await conversation.waitFor('the error -32600', isAnswer);
    return answered(codeOf(message) === -32600, message);
  },
};

/** Whether a batch of two requests is answered with a batch. */
export async function answersBatches(subject: Subject): Promise<Finding> {
  const { conversation, probe } = await subject.connect();
  const ids = [conversation.nextId(), conversation.nextId()];
  conversation.send(ids.map((id) => subject.driver.livenessRequest(id, probe)));
  const answers: ReceivedMessage[] = [];
  for (const id of ids) answers.push(await answerInBatch(conversation, id, subject.limits.callMs));
  const isGood = answers.every(({ message, isInBatch }) => 'result' in message && isInBatch);
  return verdict(isGood, `It answered ${answers.map(({ message }) => shown(message, 200)).join(' and ')}`);
}

function answerInBatch(conversation: Conversation, id: number, limitMs: number): Promise<ReceivedMessage> {
  const isAnswer = ({ message }: ReceivedMessage) => message['id'] === id || isUnaddressed(message);
  return conversation.waitFor('an answer to each of two requests in an array', isAnswer, limitMs);
}

/** The plugin could not read the id of the request. */
function isUnaddressed(message: JsonObject): boolean {
  return message['id'] === null && 'error' in message;
}

/** Long enough that the next message arrives while the call runs, even on a busy machine. */
const LONG_MS = 300;

export interface TimedCall {
  readonly probe: Probe;
  /** Infinity when it did not end. */
  readonly durationMs: number;
}

export interface CallsUnderWay {
  readonly probe: Probe;
  /** For the report. */
  readonly words: string;
  /** Sends the calls and returns their ids. */
  readonly start: (conversation: Conversation) => readonly number[];
}

/** One long call, or where there is none, so many short ones that some still run when the plugin reads the next message. */
export async function callsUnderWay(subject: Subject): Promise<CallsUnderWay> {
  const { longest, isLong } = await longestCall(subject);
  const { probe, durationMs } = longest;
  const count = isLong ? 1 : MANY;
  return {
    probe,
    words: isLong
      ? `A call of "${probe.tool}", which ${durationMs === Infinity ? 'does not end' : `takes ${durationMs} ms`}, was under way.`
      : `${MANY} calls of "${probe.tool}", each of ${durationMs} ms, were sent just before.`,
    start(conversation) {
      const ids = Array.from({ length: count }, () => conversation.nextId());
      conversation.send(...ids.map((id) => subject.driver.callMessage(id, probe)));
      return ids;
    },
  };
}

/** The call that the user named as slow, if it is; else the longest that ends. */
export async function longestCall(
  subject: Subject,
): Promise<{ readonly longest: TimedCall; readonly isLong: boolean }> {
  const calls = await timedCalls(subject);
  const [first] = calls;
  if (first === undefined) throw new Unmet('There is nothing to call.');
  const others = calls.filter(({ durationMs }) => durationMs < Infinity);
  const longest =
    first.durationMs >= LONG_MS
      ? first
      : others.reduce((a, b) => (b.durationMs > a.durationMs ? b : a), first);
  return { longest, isLong: longest.durationMs >= LONG_MS };
}

/** Every call that may be made, timed once in its own process; shared by all checks. */
export function timedCalls(subject: Subject): Promise<readonly TimedCall[]> {
  return subject.shared(timeCalls);
}

const MANY = 16;
/** For timing all calls. */
const BUDGET_MS = 20_000;

async function timeCalls(subject: Subject): Promise<readonly TimedCall[]> {
  const first = await subject.connect();
  const startedAt = first.conversation.now();
  const timed: TimedCall[] = [];
  for (const probe of first.calls) {
    const { conversation } = timed.length === 0 ? first : await subject.connect();
    timed.push({ probe, durationMs: await durationOf(conversation, probe) });
    if (conversation.now() - startedAt > BUDGET_MS) break;
  }
  return timed;
}

/** On a busy machine a short call may look long once. */
async function durationOf(conversation: Conversation, probe: Probe): Promise<number> {
  const durationMs = await timeOf(conversation, probe);
  const isCertain = durationMs < LONG_MS || durationMs > CERTAIN_MS;
  return isCertain ? durationMs : Math.min(durationMs, await timeOf(conversation, probe));
}

const CERTAIN_MS = 2000;

async function timeOf(conversation: Conversation, probe: Probe): Promise<number> {
  const startedAt = conversation.now();
  try {
    await conversation.call(probe);
    return Math.round(conversation.now() - startedAt);
  } catch (thrown) {
    if (thrown instanceof Unmet) return Infinity;
    throw thrown;
  }
}
