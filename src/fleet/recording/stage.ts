// A cassette on a pipe: the other end meets the plugin that was recorded.
import type { Clock } from '../../base/clock.ts';
import { Fifo } from '../../base/fifo.ts';
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
  /** How fast: 1 as it was recorded, 2 twice as fast; 0: at once. @default 0 */
  readonly speed?: number;
}

export interface Performance {
  /** What the host said otherwise than then. */
  readonly deviations: readonly string[];
  /** What it said then and not now. */
  readonly unsaid: readonly string[];
}

/** Answers until the host has ended its side or said goodbye; what was still to be said is said. */
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
      void pipe.finish().then(() => resolve({ deviations: player.deviations, unsaid: player.unsaid() }));
    };
    const close = () => {
      isOver = true;
      end();
    };
    const say = (message: JsonObject) => {
      outgoing.push(message);
      void pump();
    };
    /** As fast as the host reads; it is not read itself while it does not. */
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
        // Nobody reads it any more.
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
          player.hear(message).forEach(saySoon);
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

/** After it hosts wait for the exit, whatever the dialect calls it. */
function isGoodbye({ method }: JsonObject): boolean {
  return typeof method === 'string' && /(?:^|\.)shutdown$/.test(method);
}

export function framingOf(dialect: DialectName): Framing {
  return dialect === 'gassist' ? lengthPrefix() : lines();
}

/** Of a batch, each; of what is no message, none. */
export function messagesOf(text: string): readonly JsonObject[] {
  if (!canBeJson(text)) return [];
  try {
    // What was parsed is JSON.
    const value = parseJson(text) as Json;
    return (isJsonArray(value) ? value : [value]).filter(isJsonObject);
  } catch {
    return [];
  }
}
