// Plays a cassette on a pipe, as the recorded plugin.
import type { Clock } from '../../base/clock.ts';
import { Fifo } from '../../base/queue.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { bodyOf } from '../../channel/frame/body.ts';
import type { Framing } from '../../channel/frame/framing.ts';
import { lengthPrefix } from '../../channel/frame/length-prefix.ts';
import { lines } from '../../channel/frame/lines.ts';
import { canBeJson, parseJson } from '../../channel/message/json.ts';
import type { DialectName } from '../../definition/plugin-spec.ts';
import type { Cassette } from './cassette.ts';
import { cassettePlayer, type PlayedMessage, type PlayerOptions } from './player.ts';

export interface StageOptions extends PlayerOptions {
  readonly clock: Clock;
  /** Speed: 1 as recorded, 2 twice as fast; 0: at once. @default 0 */
  readonly speed?: number;
}

export interface Performance {
  /** Deviations of the host from the recording. */
  readonly deviations: readonly string[];
  /** How many recorded messages the host did not send. */
  readonly unsent: readonly string[];
}

/** Answers until the host closes its side or requests the shutdown; pending messages are sent. */
export function perform(pipe: Pipe, cassette: Cassette, options: StageOptions): Promise<Performance> {
  const { clock, speed = 0 } = options;
  const framing = framingOf(cassette.header.dialect);
  const player = cassettePlayer(cassette, options);
  const outgoing = new Fifo<JsonObject>();
  let isSaying = false;
  let waiting = 0;
  let isOver = false;
  return new Promise((resolve) => {
    const end = () => {
      if (!isOver || waiting > 0 || isSaying) return;
      void pipe.finish().then(() => resolve({ deviations: player.deviations, unsent: player.unsent() }));
    };
    const close = () => {
      isOver = true;
      end();
    };
    const say = (message: JsonObject) => {
      outgoing.push(message);
      void pump();
    };
    /** Sends as fast as the host reads, and does not read meanwhile. */
    const pump = async () => {
      if (isSaying) return;
      isSaying = true;
      try {
        for (let message = outgoing.shift(); message !== undefined; message = outgoing.shift()) {
          if (!pipe.hasRoom) {
            pipe.pause();
            await pipe.drained();
            pipe.resume();
          }
          pipe.write(framing.encode(bodyOf(JSON.stringify(message))));
        }
      } catch {
        // The host has stopped reading.
        outgoing.takeAll();
      }
      isSaying = false;
      end();
    };
    const saySoon = ({ afterMs, message }: PlayedMessage) => {
      if (speed === 0) return say(message);
      waiting += 1;
      clock.after(afterMs / speed, () => {
        waiting -= 1;
        say(message);
        end();
      });
    };
    const decoder = framing.decoder({
      body: (text, start, stop) => {
        for (const message of messagesOf(text.slice(start, stop))) {
          player.receive(message).forEach(saySoon);
          if (isGoodbye(message)) close();
        }
      },
      // A host that asks in another dialect is not answered.
      noise: () => {},
      oversize: () => {},
      torn: () => {},
    });
    pipe.open({
      data: (chunk) => decoder.push(chunk),
      end() {
        decoder.end();
        close();
      },
    });
    player.opening().forEach(saySoon);
  });
}

/** The shutdown messages of all dialects; after one the host waits for the exit. */
function isGoodbye({ method }: JsonObject): boolean {
  return typeof method === 'string' && /(?:^|\.)shutdown$/.test(method);
}

export function framingOf(dialect: DialectName): Framing {
  return dialect === 'gassist' ? lengthPrefix() : lines();
}

/** The messages of a batch; none if it is not a message. */
export function messagesOf(text: string): readonly JsonObject[] {
  if (!canBeJson(text)) return [];
  try {
    // It was parsed from JSON.
    const value = parseJson(text) as Json;
    return (isJsonArray(value) ? value : [value]).filter(isJsonObject);
  } catch {
    return [];
  }
}
