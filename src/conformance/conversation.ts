// One process of the plugin, at the level of bytes, so that a check can also send what no correct host would.
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { toError } from '../base/error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { KiB } from '../base/units.ts';
import { shortened, textOf } from '../base/text.ts';
import { late, within } from '../base/async.ts';
import { describeEnding } from '../channel/bytes/pipe.ts';
import type { Exit, Running } from '../fleet/supervisor/spawn.ts';
import type { CheckLimits } from './limits.ts';
import { Transcript, frameOf, transcriber, type FramingName, type ReceivedMessage } from './transcript.ts';

export interface DialectMessages {
  readonly framing: FramingName;
  callMessage(id: number, probe: Probe): JsonObject;
  /** The param that holds the arguments; undefined where the params are the arguments. */
  readonly argumentsIn?: string;
  /** How a message ends the call with this id; undefined when it does not. */
  endOfCall(id: number, message: JsonObject): CallEnd | undefined;
  /** A cheap request where the dialect has one, else the call itself. The padding goes into a field that is ignored. */
  livenessRequest(id: number, probe: Probe, padding?: string): JsonObject;
  /** Undefined where a plugin exits at the end of its input. */
  readonly shutdown?: (id: number) => JsonObject;
  /** Whether the plugin answers the shutdown request before it exits. */
  readonly answersShutdown: boolean;
}

/** A call that checks make. */
export interface Probe {
  readonly tool: string;
  readonly args: JsonObject;
  /** The working folder, in dialects that send one. */
  readonly workdir?: string;
}

export interface CallEnd {
  readonly ok: boolean;
  /** The code of the error, if any. */
  readonly code?: number;
  /** The message that ended the call. */
  readonly message: JsonObject;
}

/** An expected message did not arrive. The text says what was expected and what was received. */
export class Unmet extends Error {
  override readonly name = 'Unmet';
}

/** What a conversation needs of a process. */
export type PluginProcess = Pick<Running, 'pipe' | 'exited' | 'signal' | 'stderr' | 'stop'>;

export interface ConversationOptions {
  readonly words: DialectMessages;
  readonly limits: CheckLimits;
  readonly clock: Clock;
}

export class Conversation {
  readonly transcript = new Transcript();
  readonly #process: PluginProcess;
  readonly #words: DialectMessages;
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

  /** The bytes of one message, or of a text that is not a message. */
  frame(body: Json): Buffer {
    return frameOf(body, this.#words.framing);
  }

  /** In one write. */
  send(...bodies: readonly Json[]): void {
    for (const body of bodies.slice(0, SHOWN)) this.transcript.sent(textOf(body));
    if (bodies.length > SHOWN) this.transcript.event(`${bodies.length - SHOWN} more like that`);
    this.#write(Buffer.concat(bodies.map((body) => this.frame(body))));
  }

  /** Raw bytes. */
  write(bytes: Buffer): void {
    this.transcript.sent(bytes.subarray(0, KiB).toString().trimEnd());
    this.#write(bytes);
  }

  #write(bytes: Buffer): void {
    try {
      this.#process.pipe.write(bytes);
    } catch (thrown) {
      // Wakes those who wait for an answer.
      this.transcript.event(`it takes no more input: ${toError(thrown).message}`);
    }
  }

  /** Writes the pieces with a pause between them, so that the plugin reads each one separately. */
  async writeApart(pieces: readonly Buffer[], pauseMs = 0): Promise<void> {
    for (const piece of pieces) {
      this.write(piece);
      await turn();
      if (pauseMs > 0) await new Promise<void>((resolve) => this.#clock.after(pauseMs, resolve));
    }
  }

  /** During the handshake, every answer may take as long as the start. */
  async handshake<HandshakeResult>(connect: () => Promise<HandshakeResult>): Promise<HandshakeResult> {
    this.#isIntroducing = true;
    try {
      return await connect();
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
    const received = await this.waitFor(
      `an answer to ${what}`,
      ({ message }) => message['id'] === id,
      limitMs,
    );
    return received.message;
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
    const ends = (received: ReceivedMessage) => this.#isEnd(id, received);
    const { message } = await this.waitFor(`the end of the call of ${probe.tool}`, ends, this.#limits.callMs);
    return this.#words.endOfCall(id, message) ?? { ok: false, message };
  }

  /** The message that ended a call, if it has ended. */
  endOf(id: number): ReceivedMessage | undefined {
    return this.transcript.received.find((received) => this.#isEnd(id, received));
  }

  #isEnd(id: number, { message }: ReceivedMessage): boolean {
    return this.#words.endOfCall(id, message) !== undefined;
  }

  /** Sends a cheap request and waits for its answer. */
  async staysAlive(probe: Probe, after: string, limitMs = this.#limits.answerMs): Promise<ReceivedMessage> {
    const id = this.nextId();
    this.send(this.#words.livenessRequest(id, probe));
    return this.answered(id, `a sign of life after ${after}`, limitMs);
  }

  /** Waits for the response, or for the end of the call. */
  answered(id: number, what: string, limitMs = this.#limits.answerMs): Promise<ReceivedMessage> {
    return this.waitFor(what, ({ message }) => this.isAnswer(id, message), limitMs);
  }

  isAnswer(id: number, message: JsonObject): boolean {
    return message['id'] === id || this.#words.endOfCall(id, message) !== undefined;
  }

  /**
   * The first matching message, received already or in time.
   * @throws Unmet
   */
  async waitFor(
    what: string,
    fits: (received: ReceivedMessage) => boolean,
    limitMs = this.#limits.answerMs,
  ): Promise<ReceivedMessage> {
    // Nothing was received yet: the plugin may still be starting.
    const isStarting = this.#isIntroducing || this.transcript.received.length === 0;
    const patience = isStarting ? Math.max(limitMs, this.#limits.startMs) : limitMs;
    const found = await this.#until(() => this.transcript.received.find(fits), patience);
    if (found === late) throw this.unmet(`Expected ${what} within ${patience / 1000} s; none came.`);
    if (found === undefined) throw this.unmet(`Expected ${what}; ${this.#over ?? 'nothing came'}.`);
    return found;
  }

  /** By the request of the dialect, or by the end of input. Returns the id when an answer is expected. */
  requestShutdown(): number | undefined {
    const { shutdown, answersShutdown } = this.#words;
    if (shutdown === undefined) {
      this.endInput();
      return undefined;
    }
    const id = this.nextId();
    this.send(shutdown(id));
    return answersShutdown ? id : undefined;
  }

  endInput(): void {
    this.transcript.event('end of input');
    void this.#process.pipe.finish();
  }

  /** Resolves when everything is written, or at the limit. */
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

  /** Closes both pipes, as when the host has died. */
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

  /** Adds the last messages to the text. */
  unmet(message: string): Unmet {
    return new Unmet([message, this.transcript.excerpt(), ...lastLines(this.#process.stderr())].join('\n'));
  }

  /** Resolves when the process has ended. */
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

  /** The plugin sends without end: it is killed. */
  #giveUp(): void {
    this.#over ??= 'it sent more than the limit';
    this.#process.pipe.destroy();
    this.#process.signal('SIGKILL');
  }

  /** Looks now and after each message; undefined when no more can arrive. */
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

/** The last lines of stderr, without stack frames. */
function lastLines(stderr: string): string[] {
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
