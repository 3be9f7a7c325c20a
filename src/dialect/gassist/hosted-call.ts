// One `execute` or `input` that the backend works on: what it says goes out under the id of the request, up to its end.
import type { Id } from '../../channel/message/message.ts';
import type { RunningCall } from '../../definition/backend.ts';
import type { Answer, CallEvent, CallSink } from '../../definition/outcome.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { Outbox } from './outbox.ts';
import { ended, logged, streamed } from './outgoing.ts';

export class HostedCall implements CallSink {
  readonly #id: Id;
  readonly #outbox: Outbox;
  readonly #isAlone: () => boolean;
  /** In characters. */
  #streamed = 0;
  #isOver = false;
  #isFlooding = false;
  #running: RunningCall | undefined;
  #tellOver: (keepsSession: boolean) => void = () => {};

  /** `isAlone` tells whether no other call is under way. */
  constructor(id: Id, outbox: Outbox, isAlone: () => boolean) {
    this.#id = id;
    this.#outbox = outbox;
    this.#isAlone = isAlone;
  }

  /** Resolves when it is over, with whether the plugin wants what the user says next. */
  run(start: (sink: CallSink) => RunningCall): Promise<boolean> {
    return new Promise((resolve) => {
      this.#tellOver = resolve;
      this.#running = start(this);
      // It may have begun before there was anything to give up.
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
    for (const notification of ended(this.#id, answer, this.#streamed)) this.#outbox.send(notification);
    this.#tellOver(answer.keepSession === true);
  }

  drained(): Promise<void> {
    return this.#outbox.drained();
  }

  #stream(text: string): void {
    for (const notification of streamed(this.#id, text)) {
      if (this.#outbox.offer(notification)) continue;
      this.#isFlooding = true;
      return this.#giveUp();
    }
    this.#streamed += text.length;
  }

  /** Text that cannot be kept cannot be left out either: the call is over, and says why. */
  #giveUp(): void {
    const message =
      'More was streamed than the engine reads: the text that waits for it has reached its limit.';
    this.end({ ok: false, error: { code: 'PIPE_FULL', message } });
    this.#running?.cancel(message);
  }

  #log(entry: LogEntry): void {
    // Hosts take a log without an id for one of the only call there is.
    this.#outbox.offer(this.#isAlone() ? logged(entry) : logged(entry, this.#id));
  }
}

function progressText({ progress, total, message }: CallEvent & { kind: 'progress' }): string {
  const done = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === undefined ? `Progress: ${done}` : `Progress: ${done}, ${message}`;
}
