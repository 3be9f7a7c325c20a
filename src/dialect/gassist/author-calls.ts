// The calls that a G-Assist engine makes: `execute` and `input` go to the backend, and notifications carry what it answers.
import { defined, type Json, type JsonObject } from '../../base/json.ts';
import { shortened, textOf } from '../../base/text.ts';
import { KiB } from '../../base/units.ts';
import type { Id } from '../../channel/message/message.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type {
  Answer,
  AnswerContent,
  CallEvent,
  CallFailure,
  CallInfo,
  CallSink,
} from '../../definition/outcome.ts';
import type { RunningCall, ServedPort } from '../../definition/plugin-port.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { AuthorSetup } from '../author-base.ts';
import type { Offer } from '../facet-tools.ts';
import { detailsOf, refusedCall, withSuggestions } from '../failure.ts';
import type { QueuedSender, SizedNotification } from '../sender.ts';
import { wireCodeOf } from './codes.ts';
import { parseExecute, parseInput } from './schema.ts';

/** Shorter than the 30 s after which the engine ends the plugin. */
const info: CallInfo = { dialect: 'gassist', timeoutMs: 29_000 };

/** What answers the calls. */
export interface EngineCallsPorts {
  readonly offer: Offer;
  readonly backend: Pick<ServedPort, 'talk'>;
  readonly setup: AuthorSetup;
}

export class EngineCalls {
  readonly #ports: EngineCallsPorts;
  readonly #sender: QueuedSender;
  readonly #underWay = new Set<EngineCall>();
  /** The next input is for this plugin: the call that ended last kept the session. */
  #isKept = false;

  constructor(ports: EngineCallsPorts, sender: QueuedSender) {
    this.#ports = ports;
    this.#sender = sender;
  }

  /** Resolves when the end of the call is on its way. */
  execute(params: JsonObject, context: CallContext): Promise<void> {
    // Official plugins never answer by a response, and the emulator loses the text of those that do.
    context.waiveResponse();
    const { offer, setup } = this.#ports;
    const request = parseExecute(params);
    if ('problem' in request) {
      const failure = { code: 'INVALID_ARGUMENTS', message: request.problem } as const;
      return this.#run(context, (sink) => refusedCall(failure, sink));
    }
    // There may have been no handshake. A failed setup is reported by the call, which waits for it.
    setup.ready().catch(() => {});
    return this.#run(context, (sink) => offer.call({ ...request, ...info }, sink));
  }

  /** @throws RpcError when the input has no text, or no session is open for it */
  input(params: JsonObject, context: CallContext): Promise<void> {
    const { talk } = this.#ports.backend;
    const { name } = this.#ports.offer.manifest;
    const content = parseInput(params);
    if (content === undefined)
      throw new RpcError(
        standardErrors.invalidParams.code,
        'An input has what the user said as text, in "content".',
      );
    if (talk === undefined || !this.#isKept) {
      throw new RpcError(
        standardErrors.methodNotFound.code,
        talk === undefined
          ? `Plugin "${name}" does not take part in conversations.`
          : `Plugin "${name}" has no session open: input is for after a "complete" with keep_session true.`,
      );
    }
    // First of all: an engine that does not get it within 2 s ends the plugin.
    context.respond({ acknowledged: true });
    return this.#run(context, (sink) => talk.input(content, sink, info));
  }

  log(entry: LogEntry): void {
    this.#sender.offer(logged(entry));
  }

  async #run({ id }: CallContext, start: (sink: CallSink) => RunningCall): Promise<void> {
    this.#isKept = false;
    const call = new EngineCall(id, this.#sender, () => this.#underWay.size === 1);
    this.#underWay.add(call);
    this.#isKept = await call.run(start);
    this.#underWay.delete(call);
    // A closing peer waits for this, so that nothing is cut off.
    await this.#sender.drained();
  }
}

/** One call: its events and its end go out under the id of its request. */
class EngineCall implements CallSink {
  readonly #id: Id;
  readonly #sender: QueuedSender;
  readonly #isAlone: () => boolean;
  /** In characters. */
  #streamed = 0;
  #isOver = false;
  #isFlooding = false;
  #running: RunningCall | undefined;
  #resolve: (keepsSession: boolean) => void = () => {};

  /** @param isAlone whether no other call is under way */
  constructor(id: Id, sender: QueuedSender, isAlone: () => boolean) {
    this.#id = id;
    this.#sender = sender;
    this.#isAlone = isAlone;
  }

  /** Resolves when it is over, with whether the session is kept. */
  run(start: (sink: CallSink) => RunningCall): Promise<boolean> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#running = start(this);
      // It may have flooded the queue before `start` returned.
      if (this.#isFlooding) this.#giveUp();
    });
  }

  event(event: CallEvent): void {
    if (this.#isOver) return;
    switch (event.kind) {
      case 'text':
        return this.#stream(event.text);
      case 'log':
        return this.#log(event);
      case 'progress':
        return this.#log({ level: 'info', message: progressText(event) });
    }
  }

  end(answer: Answer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const notification of ended(this.#id, answer, this.#streamed)) this.#sender.send(notification);
    this.#resolve(answer.keepSession === true);
  }

  drained(): Promise<void> {
    return this.#sender.drained();
  }

  #stream(text: string): void {
    for (const notification of streamed(this.#id, text)) {
      if (this.#sender.offer(notification)) continue;
      this.#isFlooding = true;
      return this.#giveUp();
    }
    this.#streamed += text.length;
  }

  /** Text that cannot be held cannot be left out either: the call fails with the reason. */
  #giveUp(): void {
    const message =
      'More was streamed than the engine reads: the text that waits for it has reached its limit.';
    this.end({ ok: false, error: { code: 'PIPE_FULL', message } });
    this.#running?.cancel(message);
  }

  #log(entry: LogEntry): void {
    // Hosts attribute a log without an id to the only call there is.
    this.#sender.offer(this.#isAlone() ? logged(entry) : logged(entry, this.#id));
  }
}

function progressText({ progress, total, message }: CallEvent & { kind: 'progress' }): string {
  const done = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === undefined ? `Progress: ${done}` : `Progress: ${done}, ${message}`;
}

/** In characters. As JSON in UTF-8 one has six bytes at most, so that a text of this length is under 10 MiB. */
const TEXT_MAX = 1536 * KiB;

/** In characters, for messages that people read. */
const MESSAGE_MAX = 64 * KiB;

/** About how many characters stand around the text. */
const ENVELOPE_SIZE = 100;

export function streamed(requestId: Id, text: string): readonly SizedNotification[] {
  return piecesOf(text).map((data) => ({
    method: 'stream',
    params: { request_id: requestId, data },
    size: data.length + ENVELOPE_SIZE,
  }));
}

/** The end of a call, without the text that was streamed. A text that is too long for one message is streamed: hosts join the two. */
export function ended(requestId: Id, answer: Answer, streamedLength: number): readonly SizedNotification[] {
  const text = unstreamed(answer, streamedLength);
  if (!answer.ok) return [...streamed(requestId, text), failed(requestId, answer.error, answer)];
  const content = text === '' ? dataText(answer) : text;
  const isLong = content.length > TEXT_MAX;
  const data = isLong ? '' : content;
  return [
    ...(isLong ? streamed(requestId, content) : []),
    {
      method: 'complete',
      // Always text: the emulator hangs on anything else.
      params: { request_id: requestId, success: true, data, keep_session: answer.keepSession === true },
      size: data.length + ENVELOPE_SIZE,
    },
  ];
}

/** Without a `complete` after it, as official plugins do it. */
function failed(
  requestId: Id,
  failure: CallFailure,
  { data, keepSession }: AnswerContent,
): SizedNotification {
  // What the specification has no fields for goes along as data.
  const more = fitting(detailsOf(data === undefined ? failure : { data, ...failure }));
  const message = shortened(withSuggestions(failure), MESSAGE_MAX);
  return {
    method: 'error',
    params: {
      request_id: requestId,
      code: wireCodeOf(failure.code),
      message,
      ...defined({ data: more?.value }),
      ...(keepSession === true && { keep_session: true }),
    },
    size: message.length + (more?.length ?? 0) + ENVELOPE_SIZE,
  };
}

/** The id is left out where only one call runs, as in the specification. */
export function logged({ level, message, data }: LogEntry, requestId?: Id): SizedNotification {
  const more = fitting(data);
  const text = shortened(message, MESSAGE_MAX);
  return {
    method: 'log',
    params: {
      ...defined({ request_id: requestId }),
      level,
      message: text,
      ...defined({ data: more?.value }),
    },
    size: text.length + (more?.length ?? 0) + ENVELOPE_SIZE,
  };
}

/** The text of an answer begins with what was streamed. */
function unstreamed({ text = '' }: AnswerContent, streamedLength: number): string {
  return text.slice(streamedLength);
}

function dataText({ data, outputs }: AnswerContent): string {
  const value = data ?? outputs;
  return value === undefined ? '' : textOf(value);
}

/** Undefined when it is too large, or has no JSON form: the notification goes out without it. */
function fitting(value: Json | undefined): { readonly value: Json; readonly length: number } | undefined {
  if (value === undefined) return undefined;
  try {
    const { length } = JSON.stringify(value);
    return length > TEXT_MAX ? undefined : { value, length };
  } catch {
    return undefined;
  }
}

function piecesOf(text: string): string[] {
  if (text.length <= TEXT_MAX) return text === '' ? [] : [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + TEXT_MAX;
    // A surrogate pair is not split.
    const isSplit = isFirstHalf(text.charCodeAt(end - 1)) && end < text.length;
    pieces.push(text.slice(at, isSplit ? end - 1 : end));
    at = isSplit ? end - 1 : end;
  }
  return pieces;
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
