// A result within its limits: what is over them goes to a file, and its beginning and a handle stand in its place.
import { isJsonObject, type Json, type JsonObject, jsonSize } from '../../base/json.ts';
import { toError } from '../../base/error.ts';
import type { Caller } from '../../definition/caller.ts';
import type { Answer } from '../../definition/outcome.ts';
import type { SpillStore } from './spill-store.ts';
import { ownPart } from '../../definition/plugin-spec.ts';

export interface BoundedAnswer {
  readonly answer: Answer;
  /** Of the whole result, as JSON. */
  readonly bytes: number;
  /** Where it was put; the first, if there are several. */
  readonly spilled?: string;
}

/** Of what is shown in place of data. */
const PREVIEW_MAX = 2000;

/** At once for all that is small. */
export function bounded(
  answer: Answer,
  limits: Required<OutputLimits>,
  store: SpillStore | undefined,
  caller: Caller,
): BoundedAnswer | Promise<BoundedAnswer> {
  const sizes = sizesOf(answer);
  const bytes = sizes.text + sizes.data + sizes.outputs + sizes.error;
  const isSmall =
    (answer.text?.length ?? 0) <= limits.textCharacters &&
    sizes.data <= limits.dataBytes &&
    sizes.outputs <= limits.dataBytes &&
    sizes.error <= limits.dataBytes;
  return isSmall ? { answer, bytes } : new Bounding(limits, store, caller).of(answer, sizes, bytes);
}

interface Sizes {
  readonly text: number;
  readonly data: number;
  readonly outputs: number;
  readonly error: number;
}

function sizesOf(answer: Answer): Sizes {
  return {
    text: answer.text === undefined ? 0 : Buffer.byteLength(answer.text),
    data: bytesOf(answer.data),
    outputs: bytesOf(answer.outputs),
    error: answer.ok
      ? 0
      : bytesOf(answer.error.data) + bytesOf(answer.error.details) + answer.error.message.length,
  };
}

function bytesOf(value: Json | undefined): number {
  if (value === undefined) return 0;
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    // Nested so deep that it cannot be written.
    return jsonSize(value);
  }
}

class Bounding {
  readonly #limits: Required<OutputLimits>;
  readonly #store: SpillStore | undefined;
  /** Who may read what is kept. */
  readonly #caller: Caller;
  #first: string | undefined;

  constructor(limits: Required<OutputLimits>, store: SpillStore | undefined, caller: Caller) {
    this.#limits = limits;
    this.#store = store;
    this.#caller = caller;
  }

  async of(answer: Answer, sizes: Sizes, bytes: number): Promise<BoundedAnswer> {
    const { dataBytes } = this.#limits;
    const text = await this.#text(answer.text);
    const data = sizes.data > dataBytes ? await this.#data(answer.data ?? null, sizes.data) : answer.data;
    const outputs = sizes.outputs > dataBytes ? await this.#outputs(answer.outputs ?? {}) : answer.outputs;
    const short: Answer = {
      ...answer,
      ...(text === undefined ? {} : { text: text.shown }),
      ...(data === undefined ? {} : { data }),
      // Where there is no data, programs find the handle there.
      ...(data === undefined && text?.notice !== undefined ? { data: { spilled: text.notice } } : {}),
      ...(outputs === undefined ? {} : { outputs }),
    };
    const answered =
      short.ok || sizes.error <= dataBytes ? short : { ...short, error: await this.#error(short) };
    return { answer: answered, bytes, ...(this.#first === undefined ? {} : { spilled: this.#first }) };
  }

  async #text(text: string | undefined): Promise<{ shown: string; notice?: JsonObject } | undefined> {
    const { textCharacters } = this.#limits;
    if (text === undefined || text.length <= textCharacters) return undefined;
    const kept = await this.#keep(text);
    const shown = beginningOf(text, textCharacters);
    const rest =
      'handle' in kept
        ? `The whole text can be read under the handle ${kept.handle}.`
        : `The rest is lost: ${kept.lost}.`;
    return {
      shown: `${shown}\n… (the first ${shown.length} of ${text.length} characters. ${rest})`,
      notice: {
        of: 'text',
        characters: text.length,
        bytes: Buffer.byteLength(text),
        shownCharacters: shown.length,
        ...kept,
      },
    };
  }

  async #data(data: Json, bytes: number): Promise<JsonObject> {
    const text = written(data);
    if (text === undefined)
      return { spilled: { of: 'data', bytes, lost: 'it is nested too deeply to be written' } };
    const kept = await this.#keep(text);
    return { spilled: { of: 'data', bytes, preview: beginningOf(text, PREVIEW_MAX), ...kept } };
  }

  /** They are texts for later steps, so they stay texts. */
  async #outputs(outputs: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    const kept = await this.#keep(JSON.stringify(outputs));
    const entries = Object.entries(outputs);
    const each = Math.max(0, Math.floor(this.#limits.dataBytes / 4 / Math.max(1, entries.length)));
    const where =
      'handle' in kept ? `all outputs are under the handle ${kept.handle}` : `the rest is lost: ${kept.lost}`;
    return Object.fromEntries(
      entries
        .slice(0, 1000)
        .map(([name, value]) => [
          name,
          value.length <= each ? value : `${beginningOf(value, each)}… (${where})`,
        ]),
    );
  }

  async #error(answer: Extract<Answer, { ok: false }>): Promise<typeof answer.error> {
    const { data, details, ...error } = answer.error;
    const both = { ...(data === undefined ? {} : { data }), ...(details === undefined ? {} : { details }) };
    return {
      ...error,
      message: beginningOf(error.message, this.#limits.textCharacters),
      data: await this.#data(both, bytesOf(both)),
    };
  }

  async #keep(text: string): Promise<{ handle: string } | { lost: string }> {
    if (this.#store === undefined) return { lost: 'no folder for large results is configured' };
    try {
      const { handle } = await this.#store.put(text, this.#caller);
      this.#first ??= handle;
      return { handle };
    } catch (thrown) {
      return { lost: toError(thrown).message };
    }
  }
}

function written(data: Json): string | undefined {
  try {
    return JSON.stringify(data, undefined, isJsonObject(data) || Array.isArray(data) ? 2 : undefined);
  } catch {
    return undefined;
  }
}

/** Never half a character. */
function beginningOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

export interface OutputOptions extends OutputLimits {
  /** By `plugin__tool`, or by the own name of a tool for all plugins that have such a one. */
  readonly tools?: Readonly<Record<string, OutputLimits>>;
  /** Whose results are bounded; a person at a terminal wants to see all. @default ['model', 'job', 'client'] */
  readonly callers?: readonly Caller['kind'][];
  /** Whether results are held against the output schema of their tool. @default true */
  readonly checkSchema?: boolean;
}

export interface OutputLimits {
  /** Characters of text. @default 50000 */
  readonly textCharacters?: number;
  /** Bytes of data as JSON. @default 262144 */
  readonly dataBytes?: number;
}

export function outputLimits(
  options: OutputOptions,
): (tool: string, caller: Caller) => Required<OutputLimits> {
  const { textCharacters = 50_000, dataBytes = 256 * 1024, tools = {} } = options;
  const usual = { textCharacters, dataBytes };
  const own = new Map(Object.entries(tools).map(([name, limits]) => [name, { ...usual, ...limits }]));
  const callers = new Set(options.callers ?? ['model', 'job', 'client']);
  return (tool, { kind }) =>
    callers.has(kind) ? (own.get(tool) ?? own.get(ownPart(tool)) ?? usual) : unlimited;
}

const unlimited: Required<OutputLimits> = { textCharacters: Infinity, dataBytes: Infinity };
