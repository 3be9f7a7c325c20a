// How a user chooses among sources: at the terminal, through files, or by a webhook.
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../../base/json.ts';
import { printableLine } from '../../base/printable.ts';
import { sentence, shown } from '../../base/text.ts';
import { fail } from '../../definition/failure.ts';
import { files, writeJson } from '../../outside/files.ts';
import type { Asked, Outside, ReadLine } from '../../outside/outside.ts';
import { terminal } from '../../outside/terminal.ts';
import { problemOfEndpoint, webhook } from '../../outside/webhook.ts';
import type { HostPorts } from '../host-ports.ts';
import type { ReferencesConfig } from './settings.ts';
import type { Source } from './source.ts';

export interface SelectionRequest {
  readonly request_id: string;
  readonly timestamp: string;
  /** Why the caller needs them. */
  readonly context: string | null;
  readonly sources: readonly Pick<Source, 'id' | 'name' | 'description' | 'type' | 'tags'>[];
}

export interface Selector {
  /** The chosen ids, not checked: a program may have written them. Never rejects, and ends by its time limit. */
  choose(request: SelectionRequest, signal: AbortSignal): Promise<Asked<readonly string[]>>;
  /** Reports the result to the user who chose. Never rejects. */
  report(message: string, signal: AbortSignal): Promise<void>;
}

export interface SelectorParts {
  readonly ports: Pick<HostPorts, 'env' | 'cwd' | 'fetch' | 'person' | 'print' | 'now'>;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  /** Created on first use. */
  readonly dataFolder: () => string;
}

/** @param inFile the channel of the file with the sources, not checked; the configuration overrides it */
export function createSelector(config: ReferencesConfig, inFile: JsonObject, parts: SelectorParts): Selector {
  const { ports, warn } = parts;
  const outside = channelOf(config, inFile, parts);
  return {
    choose: async (request, signal) => {
      const asked = await outside.ask(
        {
          id: request.request_id,
          body: requestJson(request),
          readAnswer: (value) => readAnswer(value, request.request_id),
          dialog: (readLine) => askForNumbers(request, readLine),
        },
        signal,
      );
      if (asked.kind === 'failed') warn(`References could not be chosen: ${sentence(asked.reason)}`);
      return asked;
    },
    report: async (message, signal) => {
      const notice = {
        lines: () => [printableLine(message)],
        body: { type: 'selection_result', message },
        write: (folder: string) =>
          writeJson(path.join(folder, 'results', 'latest.json'), {
            timestamp: ports.now().toISOString(),
            message,
          }),
      };
      const sent = await outside.notify(notice, signal);
      if (sent.kind === 'failed')
        warn(`The result of a selection could not be reported: ${sentence(sent.reason)}`);
    },
  };
}

type Settings = Readonly<Record<string, Json | undefined>>;

const REPORT_MS = 10_000;

function channelOf(config: ReferencesConfig, inFile: JsonObject, parts: SelectorParts): Outside {
  const { ports, clock } = parts;
  const type = config.channel_type ?? config.actor_type ?? inFile['type'] ?? 'console';
  const settings: Settings = { ...inFile, ...config.actor_config, ...config.channel_config };
  const limitMs = secondsIn(settings, 'timeout', type === 'console' ? 60 : 300) * 1000;
  switch (type) {
    case 'console':
      return terminal({ port: ports.person, print: (line) => ports.print(line), limitMs, clock });
    case 'webhook': {
      const endpoint = textIn(settings, 'endpoint');
      const problem = problemOfEndpoint(endpoint);
      if (endpoint === undefined || problem !== undefined)
        return refuse(`the webhook of the channel is not valid: ${problem}`);
      const token = textIn(settings, 'auth_token') ?? ports.env['REFERENCES_WEBHOOK_TOKEN'];
      const notifyMs = Math.min(REPORT_MS, limitMs);
      return webhook(
        { endpoint, limitMs, notifyMs, headers: headersIn(settings), token },
        { fetch: ports.fetch, clock },
      );
    }
    case 'file': {
      const base = textIn(settings, 'base_path');
      const folder =
        base === undefined ? path.join(parts.dataFolder(), 'selection') : path.resolve(ports.cwd, base);
      return files({ folder, limitMs, pollMs: secondsIn(settings, 'poll_interval', 0.5) * 1000, clock });
    }
    default:
      return refuse(`the type of the channel is ${shown(type)}; expected "console", "webhook" or "file"`);
  }
}

function secondsIn(settings: Settings, key: string, otherwise: number): number {
  const value = settings[key] ?? otherwise;
  if (typeof value === 'number' && value > 0 && value <= 3600) return value;
  return refuse(`${key} of the channel is ${shown(value)}; expected seconds, more than 0 and at most 3600`);
}

function textIn(settings: Settings, key: string): string | undefined {
  const value = settings[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function headersIn({ headers }: Settings): Record<string, string> {
  if (!isJsonObject(headers)) return {};
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : shown(value)]),
  );
}

function refuse(problem: string): never {
  return fail({
    code: 'INVALID_ARGUMENTS',
    message: `References cannot be chosen with this configuration: ${sentence(problem)}`,
  });
}

/** As it is sent and written. */
function requestJson({ request_id, timestamp, context, sources }: SelectionRequest): JsonObject {
  return {
    request_id,
    timestamp,
    context,
    sources: sources.map(({ id, name, description, type, tags }) => ({
      id,
      name,
      description,
      type,
      tags: [...tags],
    })),
  };
}

/** @throws Error when it is not an answer, or the answer to another request */
export function readAnswer(value: Json, requestId: string): readonly string[] {
  const { request_id = requestId, selected_ids } = isJsonObject(value) ? value : {};
  if (!isJsonArray(selected_ids) || request_id !== requestId)
    throw new Error('the answer is not { "selected_ids": […] } for this request');
  return textsIn(selected_ids);
}

/** How often a person may mistype. */
const TRIES = 3;

async function askForNumbers(request: SelectionRequest, readLine: ReadLine): Promise<readonly string[]> {
  const { sources } = request;
  let text = menu(request);
  for (let tries = 0; tries < TRIES; tries++) {
    const typed = await readLine(text, 'Selection: ');
    if (typed === undefined) return [];
    const choice = readChoice(typed, sources.length);
    if (choice.kind === 'numbers') return choice.numbers.flatMap((number) => sources[number - 1]?.id ?? []);
    text = `${printableLine(choice.reason)} Numbers such as 1,3 or 2-4, "all", or "none".`;
  }
  return [];
}

function menu({ context, sources }: SelectionRequest): string {
  return [
    'REFERENCE SELECTION',
    ...(context === null ? [] : ['', `Context: ${printableLine(context, 500)}`]),
    '',
    ...sources.flatMap(({ name, description, type, tags }, index) => [
      `  [${index + 1}] ${printableLine(name)}`,
      ...(description === '' ? [] : [`      ${printableLine(description)}`]),
      `      Type: ${type} | Tags: ${printableLine(tags.join(', ')) || 'none'}`,
    ]),
    '',
    'Numbers separated by commas (1,3 or 2-4), "all", or "none".',
  ].join('\n');
}

type Choice =
  /** From 1, each once, in the order typed. */
  | { readonly kind: 'numbers'; readonly numbers: readonly number[] }
  | { readonly kind: 'invalid'; /** A sentence. */ readonly reason: string };

const TYPED_MAX = 2000;

export function readChoice(typed: string, count: number): Choice {
  const text = typed.trim().toLowerCase();
  if (text === '' || text === 'none' || text === 'n') return { kind: 'numbers', numbers: [] };
  if (text === 'all' || text === 'a') return { kind: 'numbers', numbers: range(1, count) };
  if (text.length > TYPED_MAX) return { kind: 'invalid', reason: 'The answer is too long.' };
  const numbers = new Set<number>();
  for (const word of text.split(/[\s,;]+/).filter((part) => part !== '')) {
    const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(word) ?? [];
    if (from === undefined)
      return { kind: 'invalid', reason: `${JSON.stringify(word.slice(0, 40))} is not a number.` };
    const first = Number(from);
    const last = Number(to);
    if (first < 1 || last > count || first > last)
      return { kind: 'invalid', reason: `${word} is not in the list; it goes from 1 to ${count}.` };
    for (const number of range(first, last)) numbers.add(number);
  }
  return { kind: 'numbers', numbers: [...numbers] };
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
