// The last messages on the wires of a fleet, for display: bounded in number and size.
import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/emitter.ts';
import { Fifo } from '../../base/queue.ts';
import { MiB } from '../../base/units.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { Message, Received } from '../../channel/message/message.ts';
import { isLong, shownMessage, writtenMessage } from './shown-message.ts';

export interface TrafficEntry {
  /** Counts up by one, from 1. */
  readonly seq: number;
  /** Milliseconds since 1970, with fractions: many responses take less than one. */
  readonly at: number;
  readonly plugin: string;
  readonly from: 'host' | 'plugin';
  readonly kind: (Message | Received)['kind'];
  readonly method?: string;
  readonly id?: string | number | null;
  /** The call that it belongs to, if known, and the id of its trace. */
  readonly call?: string;
  readonly trace?: string;
  /** Characters of the whole message; 0 if it was not read. */
  readonly size: number;
  /** As JSON, shortened, with secrets masked. Undefined if messages came too fast. */
  readonly text?: string;
}

export interface TrafficLimits {
  /** @default 20,000 */
  readonly entries?: number;
  /** Of all texts together, in characters. @default 32 Mi */
  readonly characters?: number;
  /** Longer texts are cut. @default 64 Ki */
  readonly textCharacters?: number;
  /** How many texts are created per second; of further messages only the headers are kept. @default 4000 */
  readonly textsPerSecond?: number;
}

const DRIFT_MS = 5;
/** At most so many messages wait for their texts. */
const SEEN_MAX = 64;

/** A message at its arrival; undefined `whole`: messages came too fast. */
interface Seen {
  readonly seq: number;
  readonly at: number;
  readonly plugin: string;
  readonly direction: 'sent' | 'received';
  readonly message: Message | Received;
  readonly whole: string | undefined;
  readonly mark: Pick<TrafficEntry, 'call' | 'trace'> | undefined;
}

export class Traffic {
  readonly #clock: Clock;
  readonly #secrets: Secrets;
  readonly #limits: Required<TrafficLimits>;
  readonly #kept = new Fifo<TrafficEntry>();
  readonly #entries = new Emitter<TrafficEntry>();
  /** Messages whose texts are created later, so that no message is delayed. */
  #seen: Seen[] = [];
  #characters = 0;
  #seq = 0;
  /** The offset between the clock and the time of day. */
  #offset = 0;
  #secondBegan = -Infinity;
  #textsInSecond = 0;

  constructor(clock: Clock, secrets: Secrets, limits: TrafficLimits = {}) {
    this.#clock = clock;
    this.#secrets = secrets;
    this.#limits = {
      entries: 20_000,
      characters: 32 * MiB,
      textCharacters: 64 * 1024,
      textsPerSecond: 4000,
      ...limits,
    };
  }

  /** How many there were in all. */
  get count(): number {
    return this.#seq;
  }

  record(
    plugin: string,
    direction: 'sent' | 'received',
    message: Message | Received,
    mark?: Pick<TrafficEntry, 'call' | 'trace'>,
  ): void {
    this.#seq += 1;
    // At once: the receiver may change the message.
    const whole = this.#mayMakeText() ? writtenMessage(message) : undefined;
    this.#seen.push({ seq: this.#seq, at: this.#now(), plugin, direction, message, whole, mark });
    const isMuch = this.#seen.length >= SEEN_MAX || (whole !== undefined && isLong(whole));
    if (isMuch) this.#showSeen();
    else if (this.#seen.length === 1) setImmediate(() => this.#showSeen());
  }

  /** The kept messages, oldest first. */
  since(seq: number): TrafficEntry[] {
    this.#showSeen();
    return [...this.#kept].filter((entry) => entry.seq > seq);
  }

  onEntry(listener: (entry: TrafficEntry) => void): () => void {
    return this.#entries.add(listener);
  }

  #showSeen(): void {
    const seen = this.#seen;
    this.#seen = [];
    for (const one of seen) {
      const entry = this.#entryOf(one);
      this.#keep(entry);
      this.#entries.emit(entry);
    }
  }

  #entryOf({ seq, at, plugin, direction, message, whole, mark }: Seen): TrafficEntry {
    return {
      seq,
      at,
      plugin,
      from: direction === 'sent' ? 'host' : 'plugin',
      kind: message.kind,
      ...('method' in message && { method: this.#secrets.maskKnown(message.method) }),
      ...('id' in message && { id: this.#shownId(message.id) }),
      ...mark,
      ...(whole === undefined
        ? { size: 0 }
        : shownMessage(message, this.#secrets, this.#limits.textCharacters, whole)),
    };
  }

  /** The time of day with the resolution of the clock; adjusts when the time is set or the machine has slept. */
  #now(): number {
    const [day, clock] = [Date.now(), this.#clock.now()];
    if (Math.abs(this.#offset + clock - day) > DRIFT_MS) this.#offset = day - clock;
    return Math.round((this.#offset + clock) * 1000) / 1000;
  }

  #mayMakeText(): boolean {
    const now = this.#clock.now();
    if (now - this.#secondBegan >= 1000) {
      this.#secondBegan = now;
      this.#textsInSecond = 0;
    }
    this.#textsInSecond += 1;
    return this.#textsInSecond <= this.#limits.textsPerSecond;
  }

  #shownId(id: string | number | null): string | number | null {
    return typeof id === 'string' ? this.#secrets.maskKnown(id) : id;
  }

  #keep(entry: TrafficEntry): void {
    this.#kept.push(entry);
    this.#characters += entry.text?.length ?? 0;
    const { entries, characters } = this.#limits;
    while (this.#kept.size > entries || (this.#characters > characters && this.#kept.size > 1)) {
      const oldest = this.#kept.shift();
      this.#characters -= oldest?.text?.length ?? 0;
    }
  }
}
