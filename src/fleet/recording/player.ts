// Plays the plugin of a cassette: answers what the host says now with what was recorded for it.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import { dialectOfOpening } from '../../dialect/openings.ts';
import type { Cassette } from './cassette.ts';
import { Names, withoutNames, type Ignored } from './id-words.ts';
import { isMasked, masked } from './masked.ts';
import { conversationsOf, type Turn, type TurnAnswer } from './turns.ts';

export interface PlayerOptions {
  /**
   * `strict`: the host has to say what it said then, in that order. `lenient`: in any order and any number of times, and where nothing
   * else fits, what was answered to the same method.
   */
  readonly mode: 'strict' | 'lenient';
  /** Keys whose values say nothing. */
  readonly ignore?: readonly string[];
  /** Told of each deviation when it happens. */
  readonly onDeviation?: (words: string) => void;
}

export interface Player {
  /** What the plugin said before it was asked. */
  opening(): readonly PlayedMessage[];
  /** What the plugin said to that then, in the words of now. */
  hear(message: JsonObject): readonly PlayedMessage[];
  /** What of it was said otherwise than then; and what was never said, once it is over. */
  readonly deviations: readonly string[];
  /** How much of what the host said then it did not say now. */
  unsaid(): readonly string[];
}

export interface PlayedMessage {
  /** Milliseconds after what it answers. */
  readonly afterMs: number;
  readonly message: JsonObject;
}

interface Part {
  readonly turn: Turn;
  /** All that it says, and the same without what may differ from one conversation to the next. */
  readonly exact: string;
  readonly key: string;
  readonly method: string | undefined;
  isUsed: boolean;
}

export function cassettePlayer({ entries, header }: Cassette, options: PlayerOptions): Player {
  const { mode } = options;
  const ignore = new Set(options.ignore);
  const turns = conversationsOf(entries).flat();
  const parts = turns.flatMap((turn) => (turn.said === undefined ? [] : [partOf(turn, turn.said, ignore)]));
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
  /** Everything before it was said. */
  let next = 0;
  let isFirst = true;

  const lenient = (message: JsonObject): Part | undefined => {
    const same = byExact.get(exactOf(message))?.best() ?? byKey.get(keyOf(message, ignore))?.best();
    if (same !== undefined) return same;
    const near = byMethod.get(methodOf(message) ?? '')?.best();
    if (near?.turn.said !== undefined && isOtherCall(message, near.turn.said, ignore))
      deviate(
        `${shown(paramsOf(message), 300)} was answered with what was recorded for ${shown(paramsOf(near.turn.said), 300)}`,
      );
    return near;
  };
  const strict = (message: JsonObject): Part | undefined => {
    while (parts[next]?.isUsed === true) next += 1;
    const expected = parts[next];
    const key = keyOf(message, ignore);
    if (expected?.key === key) return expected;
    // Whether somebody is alive is asked by the clock, and clocks differ.
    const same = byKey.get(key);
    if (same !== undefined && isEmpty(message, ignore)) return same.best();
    deviate(
      expected === undefined
        ? `the host said ${shown(message, 300)}, and nothing more was recorded`
        : `the host said ${shown(withoutNames(message), 300)}; recorded was ${shown(withoutNames(expected.turn.said ?? {}), 300)}`,
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
    opening: () => turns.slice(0, 1).flatMap(({ said, answers, at }) => (said ? [] : play(answers, at))),
    hear(message) {
      if ('problem' in plainJson(message, 'it')) return [];
      const isStranger = isFirst && speakOtherwise(message, parts[0]?.turn.said);
      isFirst = false;
      const part = isStranger ? undefined : (mode === 'strict' ? strict : lenient)(message);
      if (part?.turn.said === undefined) {
        if (mode === 'lenient' || isStranger) deviate(`nothing was recorded for ${shown(message, 300)}`);
        return unanswerable(message, header.plugin);
      }
      part.isUsed = true;
      names.learn('host', part.turn.said, message);
      return play(part.turn.answers, part.turn.at);
    },
    unsaid: () => parts.filter(({ isUsed }) => !isUsed).map(({ turn }) => shown(turn.said, 300)),
  };
}

const DEVIATIONS_MAX = 1000;

function partOf(turn: Turn, said: JsonObject, ignore: Ignored): Part {
  return { turn, exact: exactOf(said), key: keyOf(said, ignore), method: methodOf(said), isUsed: false };
}

/** What fits in the same way, in the order of the recording. */
class Group {
  readonly parts: Part[] = [];
  /** All before it are used. */
  #next = 0;

  unused(): Part | undefined {
    while (this.parts[this.#next]?.isUsed === true) this.#next += 1;
    return this.parts[this.#next];
  }

  /** One that was not used, else the last one once more. */
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

/** What was masked then is masked now, whatever it was. */
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

/** Whether a tool is asked for something else. Handshakes and signs of life differ from one host to the next, and so does what surrounds a call. */
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

/** A host that wants to know what this is may ask in every dialect there is: an answer in the wrong one would mislead it. */
function speakOtherwise(now: JsonObject, then: JsonObject | undefined): boolean {
  const [one, other] = [now, then].map((message) => {
    const method = message && methodOf(message);
    return method && dialectOfOpening({ kind: 'message', method, params: message?.['params'] });
  });
  return one !== undefined && other !== undefined && one !== other;
}

const INTERNAL_ERROR = -32603;

/** A request has to be answered, or its host waits. */
function unanswerable(message: JsonObject, plugin: string): PlayedMessage[] {
  const { id, method } = message;
  if (id === undefined || method === undefined) return [];
  const error = {
    code: INTERNAL_ERROR,
    message: `The cassette of "${plugin}" has no answer to this: ${shown(withoutNames(message), 200)}`,
  };
  return [{ afterMs: 0, message: { jsonrpc: '2.0', id, error } }];
}
