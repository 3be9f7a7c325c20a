// Plays the plugin of a cassette: answers what the host says now with what was recorded for it.
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import type { Cassette, CassetteMessage } from './cassette.ts';
import { learnNames, translateNames, withoutNames, type Names } from './id-words.ts';
import { conversationsOf, type Turn } from './turns.ts';

export interface PlayerOptions {
  /**
   * `strict`: the host has to say what it said then, in that order. `lenient`: in any order and any number of times, and where nothing
   * else fits, what was answered to the same method.
   */
  readonly mode: 'strict' | 'lenient';
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
  readonly key: string;
  readonly method: string | undefined;
  isUsed: boolean;
}

export function cassettePlayer({ entries, header }: Cassette, { mode }: PlayerOptions): Player {
  const turns = conversationsOf(entries).flat();
  const parts = turns.flatMap((turn): Part[] =>
    turn.said === undefined
      ? []
      : [{ turn, key: keyOf(turn.said), method: methodOf(turn.said), isUsed: false }],
  );
  const byKey = groupBy(parts, ({ key }) => key);
  const byMethod = groupBy(parts, ({ method }) => method ?? '');
  const names: Names = new Map();
  const deviations: string[] = [];
  const deviate = (words: string) => {
    if (deviations.length < DEVIATIONS_MAX) deviations.push(words);
  };
  /** Everything before it was said. */
  let next = 0;

  const lenient = (message: JsonObject): Part | undefined => {
    const same = byKey.get(keyOf(message)) ?? [];
    const alike = byMethod.get(methodOf(message) ?? '') ?? [];
    return unusedOf(same) ?? same.at(-1) ?? unusedOf(alike) ?? alike.at(-1);
  };
  const strict = (message: JsonObject): Part | undefined => {
    while (parts[next]?.isUsed === true) next += 1;
    const expected = parts[next];
    const key = keyOf(message);
    if (expected?.key === key) return expected;
    // Whether somebody is alive is asked by the clock, and clocks differ.
    const same = byKey.get(key) ?? [];
    if (same.length > 0 && isEmpty(message['params'])) return unusedOf(same) ?? same.at(-1);
    deviate(
      expected === undefined
        ? `the host said ${shown(message, 300)}, and nothing more was recorded`
        : `the host said ${shown(withoutNames(message), 300)}; recorded was ${shown(withoutNames(expected.turn.said ?? null), 300)}`,
    );
    return unusedOf(same);
  };
  const play = (answers: readonly CassetteMessage[], since: number): PlayedMessage[] =>
    answers.flatMap(({ at, message }) => {
      const now = translateNames(message, names);
      return isJsonObject(now) ? [{ afterMs: Math.max(0, at - since), message: now }] : [];
    });
  return {
    deviations,
    opening() {
      const [first] = turns;
      return first !== undefined && first.said === undefined ? play(first.answers, first.at) : [];
    },
    hear(message) {
      if ('problem' in plainJson(message, 'it')) return [];
      const part = (mode === 'strict' ? strict : lenient)(message);
      if (part === undefined) {
        if (mode === 'lenient') deviate(`nothing was recorded for ${shown(message, 300)}`);
        return unanswerable(message, header.plugin);
      }
      part.isUsed = true;
      learnNames(part.turn.said, message, names);
      return play(part.turn.answers, part.turn.at);
    },
    unsaid: () => parts.filter(({ isUsed }) => !isUsed).map(({ turn }) => shown(turn.said, 300)),
  };
}

const DEVIATIONS_MAX = 1000;

function unusedOf(parts: readonly Part[]): Part | undefined {
  return parts.find(({ isUsed }) => !isUsed);
}

function groupBy(parts: readonly Part[], keyOf: (part: Part) => string): ReadonlyMap<string, Part[]> {
  const groups = new Map<string, Part[]>();
  for (const part of parts) {
    const key = keyOf(part);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [part]);
    else group.push(part);
  }
  return groups;
}

function keyOf(message: JsonObject): string {
  return JSON.stringify(withoutNames(message));
}

function methodOf({ method }: JsonObject): string | undefined {
  return typeof method === 'string' ? method : undefined;
}

function isEmpty(params: Json | undefined): boolean {
  return params === undefined || params === null || isDeepStrictEqual(withoutNames(params), {});
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
