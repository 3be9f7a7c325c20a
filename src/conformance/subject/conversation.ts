// One process of the plugin, talked to in raw bytes: a check can say what no well-behaved peer would.
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { KiB } from '../../base/limits.ts';
import { shortened, textOf } from '../../base/shown.ts';
import { late, within } from '../../base/within.ts';
import { describeEnding } from '../../channel/bytes/pipe.ts';
import type { Exit, Running } from '../../fleet/supervisor/spawn.ts';
import { Unmet } from '../unmet.ts';
import type { CallEnd, Probe, Words } from '../drivers/words.ts';
import type { CheckLimits } from '../limits.ts';
import { Transcript, type Heard } from './transcript.ts';
import { frameOf, transcriber } from './wire.ts';

/** What a conversation needs of a process. */
export type PluginProcess = Pick<Running, 'pipe' | 'exited' | 'signal' | 'stderr' | 'stop'>;

export interface ConversationOptions {
  readonly words: Words;
  readonly limits: CheckLimits;
  readonly clock: Clock;
}

export class Conversation {
  readonly transcript = new Transcript();
  readonly #process: PluginProcess;
  readonly #words: Words;
  readonly #limits: CheckLimits;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #lastId = 0;
  #isIntroducing = false;
  #over: string | undefined;

  constructor(process: PluginProcess, { words, limits, clock }: ConversationOptions) {
    this.#process = process;
    this.#words = words;
    this.#limits = limits;
    this.#clock = clock;
    this.#listen();
  }

  /** An id that this conversation has not used. */
  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** The bytes of one message, or of a text that is none. */
  frame(body: Json): Buffer {
    return frameOf(body, this.#words.framing);
  }

  /** All of them in one write. */
  send(...bodies: readonly Json[]): void {
    for (const body of bodies.slice(0, SHOWN)) this.transcript.sent(textOf(body));
    if (bodies.length > SHOWN) this.transcript.event(`${bodies.length - SHOWN} more like that`);
    this.#write(Buffer.concat(bodies.map((body) => this.frame(body))));
  }

  /** Bytes as they are. */
  write(bytes: Buffer): void {
    this.transcript.sent(bytes.subarray(0, KiB).toString().trimEnd());
    this.#write(bytes);
  }

  #write(bytes: Buffer): void {
    try {
      this.#process.pipe.write(bytes);
    } catch (thrown) {
      // Whoever waits for an answer is told that its output is over, too.
      this.transcript.event(`it takes no more input: ${toError(thrown).message}`);
    }
  }

  /** The pieces one after the other, far enough apart for the plugin to read them one by one. */
  async writeApart(pieces: readonly Buffer[], pauseMs = 0): Promise<void> {
    for (const piece of pieces) {
      this.write(piece);
      await turn();
      if (pauseMs > 0) await new Promise<void>((resolve) => this.#clock.after(pauseMs, resolve));
    }
  }

  /** While it introduces itself, every answer may take as long as its start. */
  async introduction<Introduction>(greet: () => Promise<Introduction>): Promise<Introduction> {
    this.#isIntroducing = true;
    try {
      return await greet();
    } finally {
      this.#isIntroducing = false;
    }
  }

  /** Sends a request and waits for the response to it. */
  async request(method: string, params?: Json, limitMs = this.#limits.answerMs): Promise<JsonObject> {
    const id = this.nextId();
    this.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    return this.response(id, method, limitMs);
  }

  /** Waits for the response to a request that was sent. */
  async response(id: number, what: string, limitMs = this.#limits.answerMs): Promise<JsonObject> {
    const heard = await this.hear(`an answer to ${what}`, ({ message }) => message['id'] === id, limitMs);
    return heard.message;
  }

  /** Makes a call and waits for its end. */
  async call(probe: Probe): Promise<CallEnd> {
    return this.endOfCall(this.startCall(probe), probe);
  }

  /** Makes a call and gives its id. */
  startCall(probe: Probe): number {
    const id = this.nextId();
    this.send(this.#words.callMessage(id, probe));
    return id;
  }

  async endOfCall(id: number, probe: Probe): Promise<CallEnd> {
    const ends = (heard: Heard) => this.#isEnd(id, heard);
    const { message } = await this.hear(`the end of the call of ${probe.tool}`, ends, this.#limits.callMs);
    return this.#words.endOfCall(id, message) ?? { ok: false, message };
  }

  /** What has ended a call, if something has. */
  endOf(id: number): Heard | undefined {
    return this.transcript.heard.find((heard) => this.#isEnd(id, heard));
  }

  #isEnd(id: number, { message }: Heard): boolean {
    return this.#words.endOfCall(id, message) !== undefined;
  }

  /** Asks for a sign of life and waits for it. */
  async livesOn(probe: Probe, after: string, limitMs = this.#limits.answerMs): Promise<Heard> {
    const id = this.nextId();
    this.send(this.#words.signOfLife(id, probe));
    return this.answered(id, `a sign of life after ${after}`, limitMs);
  }

  /** Waits for whatever ends a request: a response to it, or the end of the call that it is. */
  answered(id: number, what: string, limitMs = this.#limits.answerMs): Promise<Heard> {
    return this.hear(what, ({ message }) => this.isAnswer(id, message), limitMs);
  }

  isAnswer(id: number, message: JsonObject): boolean {
    return message['id'] === id || this.#words.endOfCall(id, message) !== undefined;
  }

  /**
   * The first message of all that fits, whether it has come or comes in time.
   * @throws Unmet
   */
  async hear(what: string, fits: (heard: Heard) => boolean, limitMs = this.#limits.answerMs): Promise<Heard> {
    // Nothing has come yet: it may still be starting.
    const isStarting = this.#isIntroducing || this.transcript.heard.length === 0;
    const patience = isStarting ? Math.max(limitMs, this.#limits.startMs) : limitMs;
    const found = await this.#until(() => this.transcript.heard.find(fits), patience);
    if (found === late) throw this.unmet(`Expected ${what} within ${patience / 1000} s; none came.`);
    if (found === undefined) throw this.unmet(`Expected ${what}; ${this.#over ?? 'nothing came'}.`);
    return found;
  }

  /** In the words of the dialect, or by the end of input where it has none. The id, where an answer is to come. */
  sayGoodbye(): number | undefined {
    const { goodbye, isGoodbyeAnswered } = this.#words;
    if (goodbye === undefined) {
      this.endInput();
      return undefined;
    }
    const id = this.nextId();
    this.send(goodbye(id));
    return isGoodbyeAnswered ? id : undefined;
  }

  endInput(): void {
    this.transcript.event('end of input');
    void this.#process.pipe.finish();
  }

  /** What was written is on its way, or is not taken in time. */
  async flushed(): Promise<void> {
    await turn();
    const { pipe } = this.#process;
    if (!pipe.hasRoom)
      await within(
        pipe.drained().catch(() => {}),
        this.#limits.callMs,
        this.#clock,
      );
  }

  /** As when the host is gone: nobody writes to it, nobody reads what it writes. */
  hangUp(): void {
    this.transcript.event('both pipes closed');
    this.#process.pipe.destroy();
  }

  signal(signal: NodeJS.Signals): void {
    this.transcript.event(signal);
    this.#process.signal(signal);
  }

  /** @throws Unmet when it does not exit in time */
  async exit(when: string, limitMs = this.#limits.exitMs): Promise<Exit> {
    const exit = await within(this.#process.exited, limitMs, this.#clock);
    if (exit !== late) return exit;
    throw this.unmet(`Expected it to exit ${when}; it still runs after ${limitMs / 1000} s.`);
  }

  now(): number {
    return this.#clock.now();
  }

  /** What did not come, with the last of what was said. */
  unmet(message: string): Unmet {
    return new Unmet([message, this.transcript.excerpt(), ...lastWords(this.#process.stderr())].join('\n'));
  }

  /** Nothing of the process is left when it resolves. */
  async end(): Promise<void> {
    await this.#process.stop({ stdinMs: 0, termMs: 0 });
  }

  #listen(): void {
    const decoder = transcriber(this.transcript, this.#words.framing, () => this.#clock.now());
    this.#process.pipe.open({
      data: (chunk) => {
        decoder.push(chunk);
        if (this.transcript.isOverfull) this.#giveUp();
        for (const listener of this.#listeners) listener();
      },
      end: (ending) => {
        decoder.end();
        this.#over ??= describeEnding(ending);
        this.transcript.event(this.#over);
        for (const listener of this.#listeners) listener();
      },
    });
  }

  /** It floods: what else it says cannot matter. */
  #giveUp(): void {
    this.#over ??= 'it sent more than anybody asked for';
    this.#process.pipe.destroy();
    this.#process.signal('SIGKILL');
  }

  /** Looks at once and whenever something came; undefined when nothing more can come. */
  async #until<Found>(
    look: () => Found | undefined,
    limitMs: number,
  ): Promise<Found | undefined | typeof late> {
    let listener = () => {};
    const found = new Promise<Found | undefined>((resolve) => {
      listener = () => {
        const seen = look();
        if (seen !== undefined || this.#over !== undefined) resolve(seen);
      };
    });
    this.#listeners.add(listener);
    listener();
    try {
      return await within(found, limitMs, this.#clock);
    } finally {
      this.#listeners.delete(listener);
    }
  }
}

/** Of many messages in one write. */
const SHOWN = 3;

/** The last that it printed, without the places in its code. */
function lastWords(stderr: string): string[] {
  return stderr
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at |^Node\.js v/.test(line))
    .slice(-STDERR_LINES)
    .map((line) => `! ${shortened(line.trimEnd(), LINE_MAX)}`);
}

const STDERR_LINES = 4;
const LINE_MAX = 240;

export function describeExit(exit: Exit): string {
  if (exit.kind === 'not-started') return `it could not be started: ${exit.error.message}`;
  return exit.signal === null ? `it exited with code ${exit.exitCode}` : `it was ended by ${exit.signal}`;
}
