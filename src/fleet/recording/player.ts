// Plays the plugin of a cassette: answers the messages of a host with the recorded ones.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/text.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import { dialectOfOpening } from '../../dialect/openings.ts';
import { type Cassette, isMasked, masked } from './cassette.ts';
import { conversationsOf, type Ignored, Names, type Turn, type TurnAnswer, withoutNames } from './turns.ts';

export interface PlayerOptions {
  /**
   * `strict`: the host has to send the recorded messages in order. `lenient`: in any order and any number of times, and if nothing
   * else matches, the response to the same method is used.
   */
  readonly mode: 'strict' | 'lenient';
  /** Keys whose values are not compared. */
  readonly ignore?: readonly string[];
  /** Called with each deviation when it happens. */
  readonly onDeviation?: (words: string) => void;
}

export interface Player {
  /** The messages that the plugin sent before any request. */
  opening(): readonly PlayedMessage[];
  /** The recorded messages in response to this one, with current ids. */
  receive(message: JsonObject): readonly PlayedMessage[];
  /** Deviations from the recording; at the end also recorded messages that were not sent. */
  readonly deviations: readonly string[];
  /** How many recorded messages of the host were not sent. */
  unsent(): readonly string[];
}

export interface PlayedMessage {
  /** Milliseconds after the message that it answers. */
  readonly afterMs: number;
  readonly message: JsonObject;
}

interface Part {
  readonly turn: Turn;
  /** The message, and the same without the parts that differ between conversations. */
  readonly exact: string;
  readonly key: string;
  readonly method: string | undefined;
  isUsed: boolean;
}

export function cassettePlayer({ entries, header }: Cassette, options: PlayerOptions): Player {
  const { mode } = options;
  const ignore = new Set(options.ignore);
  const turns = conversationsOf(entries).flat();
  const parts = turns.flatMap((turn) =>
    turn.hostMessage === undefined ? [] : [partOf(turn, turn.hostMessage, ignore)],
  );
  const byExact = groupBy(parts, ({ exact }) => exact);
  const byKey = groupBy(parts, ({ key }) => key);
  const byMethod = groupBy(parts, ({ method }) => method ?? '');
  const names = new Names();
  const deviations: string[] = [];
  const deviate = (words: string) => {
    if (deviations.length >= DEVIATIONS_MAX) return;
    deviations.push(words);
    options.onDeviation?.(words);
  };
  /** The index of the first message that was not sent. */
  let next = 0;
  let isFirst = true;

  const lenient = (message: JsonObject): Part | undefined => {
    const same = byExact.get(exactOf(message))?.best() ?? byKey.get(keyOf(message, ignore))?.best();
    if (same !== undefined) return same;
    const near = byMethod.get(methodOf(message) ?? '')?.best();
    if (near?.turn.hostMessage !== undefined && isOtherCall(message, near.turn.hostMessage, ignore))
      deviate(
        `${shown(paramsOf(message), 300)} was answered with what was recorded for ${shown(paramsOf(near.turn.hostMessage), 300)}`,
      );
    return near;
  };
  const strict = (message: JsonObject): Part | undefined => {
    while (parts[next]?.isUsed === true) next += 1;
    const expected = parts[next];
    const key = keyOf(message, ignore);
    if (expected?.key === key) return expected;
    // Pings depend on time, which differs.
    const same = byKey.get(key);
    if (same !== undefined && isEmpty(message, ignore)) return same.best();
    deviate(
      expected === undefined
        ? `the host sent ${shown(message, 300)}, and nothing more was recorded`
        : `the host sent ${shown(withoutNames(message), 300)}; recorded was ${shown(withoutNames(expected.turn.hostMessage ?? {}), 300)}`,
    );
    return same?.unused();
  };
  const play = (answers: readonly TurnAnswer[], since: number): PlayedMessage[] =>
    answers.map(({ at, message }) => ({
      afterMs: Math.max(0, at - since),
      message: names.translate('plugin', message),
    }));
  return {
    deviations,
    opening: () =>
      turns.slice(0, 1).flatMap(({ hostMessage, answers, at }) => (hostMessage ? [] : play(answers, at))),
    receive(message) {
      if ('problem' in plainJson(message, 'it')) return [];
      const isStranger = isFirst && speakOtherwise(message, parts[0]?.turn.hostMessage);
      isFirst = false;
      const part = isStranger ? undefined : (mode === 'strict' ? strict : lenient)(message);
      if (part?.turn.hostMessage === undefined) {
        if (mode === 'lenient' || isStranger) deviate(`nothing was recorded for ${shown(message, 300)}`);
        return unanswerable(message, header.plugin);
      }
      part.isUsed = true;
      names.learn('host', part.turn.hostMessage, message);
      return play(part.turn.answers, part.turn.at);
    },
    unsent: () => parts.filter(({ isUsed }) => !isUsed).map(({ turn }) => shown(turn.hostMessage, 300)),
  };
}

const DEVIATIONS_MAX = 1000;

function partOf(turn: Turn, hostMessage: JsonObject, ignore: Ignored): Part {
  return {
    turn,
    exact: exactOf(hostMessage),
    key: keyOf(hostMessage, ignore),
    method: methodOf(hostMessage),
    isUsed: false,
  };
}

/** Equal messages, in the order of the recording. */
class Group {
  readonly parts: Part[] = [];
  /** All before it are used. */
  #next = 0;

  unused(): Part | undefined {
    while (this.parts[this.#next]?.isUsed === true) this.#next += 1;
    return this.parts[this.#next];
  }

  /** One that was not used, otherwise the last one again. */
  best(): Part | undefined {
    return this.unused() ?? this.parts.at(-1);
  }
}

function groupBy(parts: readonly Part[], keyOf: (part: Part) => string): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const part of parts) {
    const key = keyOf(part);
    const group = groups.get(key) ?? new Group();
    group.parts.push(part);
    groups.set(key, group);
  }
  return groups;
}

/** Masks the values that the recording masks. */
function keyOf(message: JsonObject, ignore: Ignored): string {
  return textOf(withoutNames(message, ignore));
}

function exactOf(message: JsonObject): string {
  const { id: _, ...rest } = message;
  return textOf(rest);
}

function textOf(message: JsonObject): string {
  return JSON.stringify(masked(message), (_, value: Json) => (isMasked(value) ? '***' : value));
}

function methodOf({ method }: JsonObject): string | undefined {
  return typeof method === 'string' ? method : undefined;
}

/** Whether a tool is called with other arguments. Handshakes, pings and the metadata of calls differ between hosts. */
function isOtherCall(now: JsonObject, then: JsonObject, ignore: Ignored): boolean {
  if (now['id'] === undefined || NO_CALL.test(methodOf(now) ?? '')) return false;
  const [one, other] = [now, then].map((message) => textOf(paramsOf(withoutNames(message, ignore))));
  return one !== other;
}

const NO_CALL = /^(?:initialize|ping|shutdown|(?:handshake|plugin|rpc|server|logging)[./].*|.*\/list)$/;

function paramsOf({ params }: JsonObject): JsonObject {
  const entries = isJsonObject(params) ? Object.entries(params) : [];
  return Object.fromEntries(entries.filter(([key]) => !AROUND_A_CALL.has(key)));
}

const AROUND_A_CALL: ReadonlySet<string> = new Set(['_meta', 'auth', 'context', 'system_info']);

function isEmpty(message: JsonObject, ignore: Ignored): boolean {
  const { params } = withoutNames(message, ignore);
  return params === undefined || params === null || JSON.stringify(params) === '{}';
}

/** A host that detects the dialect asks in every dialect: a response in the wrong one would mislead it. */
function speakOtherwise(now: JsonObject, then: JsonObject | undefined): boolean {
  const [one, other] = [now, then].map((message) => {
    const method = message && methodOf(message);
    return method && dialectOfOpening({ kind: 'message', method, params: message?.['params'] });
  });
  return one !== undefined && other !== undefined && one !== other;
}

const INTERNAL_ERROR = -32603;

/** A request has to be answered, otherwise the host waits. */
function unanswerable(message: JsonObject, plugin: string): PlayedMessage[] {
  const { id, method } = message;
  if (id === undefined || method === undefined) return [];
  const error = {
    code: INTERNAL_ERROR,
    message: `The cassette of "${plugin}" has no answer to this: ${shown(withoutNames(message), 200)}`,
  };
  return [{ afterMs: 0, message: { jsonrpc: '2.0', id, error } }];
}
