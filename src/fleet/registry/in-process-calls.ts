// Calls of a plugin in this process, under the rules that hold for one behind a wire: JSON alone goes in and out, as copies and up to a
// size, and every call ends by its time limit.
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Clock, Deadlines, type Expiring } from '../../base/clock.ts';
import { isJsonObject, type Json, type JsonObject, jsonSize } from '../../base/json.ts';
import { findInPath } from '../../base/search-path.ts';
import { sentence } from '../../base/text.ts';
import { Signals } from '../../channel/peer/signals.ts';
import { type CallOptions, PendingCall } from '../../definition/call.ts';
import type { Answer, CallFailure, CallRequest, CallSink } from '../../definition/outcome.ts';
import type { RunningCall } from '../../definition/plugin-port.ts';
import type { PluginLimits } from '../../definition/plugin-spec.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import type { PluginHost } from '../../definition/run/plugin-host.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { redactAnswer, redactEvent } from '../plugin/redact.ts';
import { dataFolderOf } from '../supervisor/folders.ts';

interface InProcessPorts {
  readonly clock: Clock;
  readonly secrets: Secrets;
  nextCallId(): string;
}

export interface InProcessCall {
  /** Who is called, to begin a sentence with. */
  readonly what: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly options: CallOptions | undefined;
  /** Unless the caller sets another. */
  readonly limitMs: number;
  readonly messageBytes: number;
  begin(request: CallRequest, sink: CallSink): RunningCall;
}

/** One that was made and is not begun yet. */
export interface PreparedCall {
  readonly call: PendingCall;
  /** Nothing, when it is over already. */
  begin(): void;
}

interface Pending extends Expiring {
  expire(): void;
}

class InProcessCalls {
  readonly #ports: InProcessPorts;
  readonly #signals = new Signals();
  readonly #pending = new Set<Pending>();
  readonly #deadlines: Deadlines<Pending>;

  constructor(ports: InProcessPorts) {
    this.#ports = ports;
    this.#deadlines = new Deadlines(ports.clock, [this.#pending], (pending) => pending.expire());
  }

  open(asked: InProcessCall): PendingCall {
    const prepared = this.prepare(asked);
    prepared.begin();
    return prepared.call;
  }

  /** Its limit runs from its beginning. */
  prepare({ what, name, args, options, messageBytes, ...asked }: InProcessCall): PreparedCall {
    const { clock, secrets } = this.#ports;
    const work: { running?: RunningCall } = {};
    const call = new PendingCall({
      id: options?.id ?? this.#ports.nextCallId(),
      tool: name,
      clock,
      onCancel: (reason) => work.running?.cancel(reason),
    });
    const taken = takenArgs(args, what, messageBytes);
    if (options?.signal?.aborted === true) call.cancel();
    else if ('failure' in taken) call.fail(taken.failure);
    if (call.isSettled || 'failure' in taken) return { call, begin: () => {} };
    if (options?.signal !== undefined)
      void call.outcome.then(this.#signals.follow(options.signal, () => call.cancel()));
    const begin = () => {
      if (call.isSettled) return;
      this.#limit(call, what, limitOf(options) ?? asked.limitMs);
      work.running = asked.begin(
        // Its limit is watched here, so that it ends with the same code as that of a process.
        {
          tool: name,
          args: taken.args,
          context: options?.context,
          trace: options?.trace,
          timeoutMs: Infinity,
          dialect: 'in-process',
          caller: options?.onBehalfOf && Object.freeze({ ...options.onBehalfOf }),
          execution: options?.execution,
          validatedAgainst: options?.validatedAgainst,
        },
        {
          event: (event) => call.event(redactEvent(event, secrets)),
          end: (answer) => call.end(redactAnswer(withinSize(answer, what, messageBytes), secrets)),
        },
      );
    };
    return { call, begin };
  }

  #limit(call: PendingCall, what: string, limitMs: number): void {
    if (limitMs === Infinity) return;
    const pending: Pending = {
      deadline: this.#ports.clock.now() + limitMs,
      expire: () => {
        this.#pending.delete(pending);
        call.giveUp({
          code: 'CALL_TIMEOUT',
          message: `${what} did not answer within ${limitMs} ms. Give it more time: timeoutMs of the call or of the tool, or limits.callMs of the plugin.`,
        });
      },
    };
    this.#pending.add(pending);
    this.#deadlines.watch(pending.deadline);
    void call.outcome.then(() => this.#pending.delete(pending));
  }
}

/** A copy that is the plugin's own, or what is wrong. */
function takenArgs(
  args: unknown,
  what: string,
  messageBytes: number,
): { readonly args: JsonObject } | { readonly failure: CallFailure } {
  const plain = plainJson(args, 'they');
  const problem = 'problem' in plain ? plain.problem : 'they are not an object';
  if ('problem' in plain || !isJsonObject(plain.json))
    return {
      failure: {
        code: 'INVALID_ARGUMENTS',
        message: `${what} does not take these arguments: ${sentence(problem)}`,
      },
    };
  if (!isOver(plain.json, messageBytes)) return { args: plain.json };
  return {
    failure: {
      code: 'FRAME_TOO_LARGE',
      message: `The arguments for ${what} are larger than ${messageBytes} bytes as JSON (limits.messageBytes).`,
    },
  };
}

/** NaN compares with nothing, so that a call with such a limit would have none. */
export function limitOf(options: CallOptions | undefined): number | undefined {
  const limitMs = options?.timeoutMs;
  return limitMs === undefined || Number.isNaN(limitMs) ? undefined : limitMs;
}

function withinSize(answer: Answer, what: string, messageBytes: number): Answer {
  const { text = '', data = null, outputs = {} } = answer;
  const failed = answer.ok
    ? []
    : [answer.error.message, answer.error.data ?? null, answer.error.details ?? null];
  if (!isOver([text, data, outputs, ...failed], messageBytes)) return answer;
  return {
    ok: false,
    error: {
      code: 'FRAME_TOO_LARGE',
      message: `${what} answered with more than ${messageBytes} bytes as JSON (limits.messageBytes).`,
    },
  };
}

/** As JSON, a character has at most so many bytes. */
const ESCAPED = 6;

/** Written out only where the estimate is not enough. */
function isOver(value: Json, limitBytes: number): boolean {
  return jsonSize(value) * ESCAPED > limitBytes && Buffer.byteLength(JSON.stringify(value)) > limitBytes;
}

export interface InProcessHost {
  readonly clock: Clock;
  readonly calls: InProcessCalls;
  /** All that holds for a plugin of these own limits. */
  limits(own: PluginLimits | undefined): InProcessLimits;
  pluginHost(plugin: string): PluginHost;
}

export interface InProcessLimits {
  /** The time limit of calls for which neither the tool nor the caller sets one. @default 30,000 */
  readonly callMs: number;
  /** How long a conversation may take. @default 300,000 */
  readonly talkMs: number;
  /** How long a plugin may take to be loaded and set up. @default 30,000 */
  readonly startMs: number;
  /** The most that goes into a call and comes out of it, as JSON. @default 16 MiB */
  readonly messageBytes: number;
}

export interface InProcessOptions {
  readonly clock: Clock;
  /** Where programs are looked for that plugins require: PATH. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where plugins keep what is theirs. */
  readonly stateFolder: string;
  readonly limits: InProcessLimits;
  /** Masks events and failures. */
  readonly secrets: Secrets;
  nextCallId(): string;
  /** For entries that belong to no call. */
  log(plugin: string, entry: LogEntry): void;
}

export function inProcessHost(options: InProcessOptions): InProcessHost {
  const { clock, env, stateFolder, limits, secrets } = options;
  return {
    clock,
    calls: new InProcessCalls({ clock, secrets, nextCallId: () => options.nextCallId() }),
    limits: (own = {}) => ({
      callMs: own.callMs ?? limits.callMs,
      talkMs: own.talkMs ?? limits.talkMs,
      startMs: own.startMs ?? limits.startMs,
      messageBytes: own.messageBytes ?? limits.messageBytes,
    }),
    pluginHost(plugin) {
      let made: string | undefined;
      return {
        clock,
        dataFolder() {
          made ??= makeFolder(dataFolderOf(stateFolder, plugin));
          return made;
        },
        hasCommand: (name) => findInPath(name, { path: env['PATH'] ?? '', cwd: '' }) !== undefined,
        readFile: (file) => readFile(file),
        log: (entry) => options.log(plugin, entry),
      };
    },
  };
}

function makeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
