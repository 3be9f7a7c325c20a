// The last messages on the wires of a fleet, for people who look at them: bounded in number and size, whatever the plugins say.
import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/emitter.ts';
import { Fifo } from '../../base/fifo.ts';
import { MiB } from '../../base/limits.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Message, Received } from '../../channel/message/message.ts';
import { isLong, shownMessage, writtenMessage } from './shown-message.ts';

export interface TrafficEntry {
  /** Counts up by one, from 1. */
  readonly seq: number;
  /** Milliseconds since 1970, with parts of them: many a response comes sooner than that. */
  readonly at: number;
  readonly plugin: string;
  readonly from: 'host' | 'plugin';
  readonly kind: (Message | Received)['kind'];
  readonly method?: string;
  readonly id?: string | number | null;
  /** The call that it belongs to, where that is known, and the id of the trace which that is a part of. */
  readonly call?: string;
  readonly trace?: string;
  /** Characters of the whole message; 0 where it was not looked at. */
  readonly size: number;
  /** As JSON, cut where it is long; secrets are masked. Undefined where more came than anybody could read. */
  readonly text?: string;
}

export interface TrafficLimits {
  /** @default 20,000 */
  readonly entries?: number;
  /** Of all texts together, in characters. @default 32 Mi */
  readonly characters?: number;
  /** Longer texts are cut. @default 64 Ki */
  readonly textCharacters?: number;
  /** How many texts are made in a second; of what comes on top only the heads are kept. @default 4000 */
  readonly textsPerSecond?: number;
}

const DRIFT_MS = 5;
/** More of one moment are not left for later. */
const SEEN_MAX = 64;

/** One that came, as it was then; undefined `whole`: more came than anybody could read. */
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
  /** Made fit to be seen in a moment: no message waits for that on its way. */
  #seen: Seen[] = [];
  #characters = 0;
  #seq = 0;
  /** Between the clock and the time of day. */
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
    // At once: whoever gets the message may change it.
    const whole = this.#mayMakeText() ? writtenMessage(message) : undefined;
    this.#seen.push({ seq: this.#seq, at: this.#now(), plugin, direction, message, whole, mark });
    const isMuch = this.#seen.length >= SEEN_MAX || (whole !== undefined && isLong(whole));
    if (isMuch) this.#showSeen();
    else if (this.#seen.length === 1) setImmediate(() => this.#showSeen());
  }

  /** Those that are still kept, oldest first. */
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

  /** The time of day, as fine as the clock; it follows when that is set, or the machine has slept. */
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
