// A proxy that records: passes the bytes between host and plugin unchanged and records every message in them.
import { isJsonObject, type Json } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import { shown } from '../../base/text.ts';
import type { Ending, Pipe } from '../../channel/bytes/pipe.ts';
import type { FrameDecoder } from '../../channel/frame/framing.ts';
import { lengthPrefix } from '../../channel/frame/length-prefix.ts';
import { lines } from '../../channel/frame/lines.ts';
import { canBeJson, parseJsonWithNaN } from '../../channel/message/json.ts';
import type { DialectName } from '../../definition/plugin-spec.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import { dialectOfOpening } from '../../dialect/openings.ts';
import type { Recorder } from './recorder.ts';

export interface TapOptions {
  readonly host: Pipe;
  readonly plugin: Pipe;
  readonly recorder: Pick<Recorder, 'record' | 'speaks'>;
  /** @default detected from the first message of the host */
  readonly dialect?: DialectName | undefined;
}

export interface Tap {
  /** Resolves when the host has closed its side or stopped reading. */
  readonly hostEnded: Promise<void>;
  /** Resolves when the plugin has closed its side and all of its output was passed on. */
  readonly pluginEnded: Promise<Ending>;
  /** How many bytes the plugin has sent so far. */
  readonly received: () => number;
}

export function openTap({ host, plugin, recorder, dialect }: TapOptions): Tap {
  const script = new Script(recorder, dialect);
  let received = 0;
  const hostEnded = pass(host, plugin, (chunk) => script.push('host', chunk)).then(() => script.end('host'));
  const pluginEnded = pass(plugin, host, (chunk) => {
    received += chunk.length;
    script.push('plugin', chunk);
  }).then((ending) => {
    script.end('plugin');
    return ending;
  });
  return { hostEnded: Promise.race([hostEnded, host.unwritable()]), pluginEnded, received: () => received };
}

/** Copies all bytes from one to the other, as fast as the other reads. */
function pass(from: Pipe, to: Pipe, look: (chunk: Buffer) => void): Promise<Ending> {
  return new Promise((resolve) => {
    from.open({
      data(chunk) {
        // The buffer is reused after this returns, and the frame reader may overwrite it.
        const isTaken = written(to, Buffer.from(chunk));
        look(chunk);
        if (isTaken) return;
        from.pause();
        const goOn = () => from.resume();
        to.drained().then(goOn, goOn);
      },
      end(ending) {
        void to.finish().then(() => resolve(ending));
      },
    });
  });
}

/** A side that stopped reading is not written to; the sender notices by the end of its pipe. */
function written(to: Pipe, bytes: Buffer): boolean {
  try {
    return to.write(bytes);
  } catch {
    return true;
  }
}

/** How many bytes may wait until the framing is known. If a plugin sends more before its host does, it is not recorded. */
const HELD_MAX = MiB;

/** The messages in the bytes of both. */
class Script {
  readonly #recorder: TapOptions['recorder'];
  #decoders: { readonly host: FrameDecoder; readonly plugin: FrameDecoder } | undefined;
  #held: Buffer[] = [];
  #heldSize = 0;

  constructor(recorder: TapOptions['recorder'], dialect: DialectName | undefined) {
    this.#recorder = recorder;
    if (dialect === undefined) return;
    recorder.speaks(dialect);
    this.#open(dialect === 'gassist');
  }

  push(from: 'host' | 'plugin', chunk: Buffer): void {
    if (this.#decoders === undefined && from === 'host') {
      // Every length below 16 MiB begins with it, and no text does.
      const isPrefixed = chunk[0] === 0;
      if (isPrefixed) this.#recorder.speaks('gassist');
      this.#open(isPrefixed);
    }
    if (this.#decoders !== undefined) this.#decoders[from].push(chunk);
    else if (this.#heldSize < HELD_MAX) {
      this.#held.push(Buffer.from(chunk));
      this.#heldSize += chunk.length;
    }
  }

  end(from: 'host' | 'plugin'): void {
    if (from === 'plugin' && this.#decoders === undefined) this.#open(this.#held[0]?.[0] === 0);
    this.#decoders?.[from].end();
  }

  #open(isPrefixed: boolean): void {
    const framing = isPrefixed ? lengthPrefix() : lines();
    const decoderOf = (from: 'host' | 'plugin') =>
      framing.decoder({
        body: (text, start, end) => this.#body(from, text.slice(start, end)),
        noise: (bytes) => this.#recorder.record(from, bytes.toString()),
        oversize: (size, head) => this.#recorder.record(from, `${shown(head)} … (${size} bytes)`),
        torn: (size) =>
          this.#recorder.record(from, `(the first ${size} bytes of a message that is not whole)`),
      });
    this.#decoders = { host: decoderOf('host'), plugin: decoderOf('plugin') };
    for (const chunk of this.#held) this.#decoders.plugin.push(chunk);
    this.#held = [];
  }

  #body(from: 'host' | 'plugin', text: string): void {
    const message = messageOf(text);
    if (from === 'host') {
      const dialect = dialectOf(message);
      if (dialect !== undefined) this.#recorder.speaks(dialect);
    }
    this.#recorder.record(from, message);
  }
}

/** Output that is not JSON is kept as a string. */
function messageOf(text: string): Json {
  if (!canBeJson(text)) return text;
  try {
    const plain = plainJson(parseJsonWithNaN(text), 'it');
    return 'json' in plain ? plain.json : `(${text.length} characters, nested too deeply to be written down)`;
  } catch {
    return text;
  }
}

function dialectOf(message: Json): DialectName | undefined {
  const first: unknown = Array.isArray(message) ? message[0] : message;
  if (!isJsonObject(first) || typeof first['method'] !== 'string') return undefined;
  return dialectOfOpening({ kind: 'message', method: first['method'], params: first['params'] });
}
