// Calls of a plugin in this process, under the rules that hold for one behind a wire: JSON alone goes in and out, as copies and up to a
// size, and every call ends by its time limit.
import type { Clock } from '../../base/clock.ts';
import { Deadlines, type Expiring } from '../../base/deadlines.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { jsonSize } from '../../base/json-size.ts';
import type { Secrets } from '../../base/secrets.ts';
import { sentence } from '../../base/sentence.ts';
import { Signals } from '../../channel/peer/signals.ts';
import type { BackendRequest, RunningCall } from '../../definition/backend.ts';
import type { Answer, CallFailure, CallSink } from '../../definition/outcome.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import type { CallOptions } from '../plugin/call.ts';
import { HeldCall } from '../plugin/held-call.ts';
import { shownAnswer, shownEvent } from '../plugin/shown.ts';

export interface InProcessPorts {
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
  /** Unless the caller says otherwise. */
  readonly limitMs: number;
  readonly messageBytes: number;
  begin(request: BackendRequest, sink: CallSink): RunningCall;
}

/** One that was made and is not begun yet. */
export interface PreparedCall {
  readonly call: HeldCall;
  /** Nothing, when it is over already. */
  begin(): void;
}

interface Pending extends Expiring {
  expire(): void;
}

export class InProcessCalls {
  readonly #ports: InProcessPorts;
  readonly #signals = new Signals();
  readonly #pending = new Set<Pending>();
  readonly #deadlines: Deadlines<Pending>;

  constructor(ports: InProcessPorts) {
    this.#ports = ports;
    this.#deadlines = new Deadlines(ports.clock, [this.#pending], (pending) => pending.expire());
  }

  open(asked: InProcessCall): HeldCall {
    const prepared = this.prepare(asked);
    prepared.begin();
    return prepared.call;
  }

  /** Its limit runs from its beginning. */
  prepare({ what, name, args, options, messageBytes, ...asked }: InProcessCall): PreparedCall {
    const { clock, secrets } = this.#ports;
    const work: { running?: RunningCall } = {};
    const call = new HeldCall({
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
        },
        {
          event: (event) => call.event(shownEvent(event, secrets)),
          end: (answer) => call.end(shownAnswer(withinSize(answer, what, messageBytes), secrets)),
        },
      );
    };
    return { call, begin };
  }

  #limit(call: HeldCall, what: string, limitMs: number): void {
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
  const problem = 'problem' in plain ? plain.problem : 'they are no object';
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

/** Written out only where an estimate cannot tell. */
function isOver(value: Json, limitBytes: number): boolean {
  return jsonSize(value) * ESCAPED > limitBytes && Buffer.byteLength(JSON.stringify(value)) > limitBytes;
}
