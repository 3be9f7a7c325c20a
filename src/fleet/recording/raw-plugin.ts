// A process of a plugin, spoken to message by message, for what was recorded of another.
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import { Fifo } from '../../base/fifo.ts';
import type { JsonObject } from '../../base/json.ts';
import { describeEnding } from '../../channel/bytes/pipe.ts';
import { bodyOf } from '../../channel/frame/body.ts';
import type { DialectName } from '../../definition/plugin-spec.ts';
import type { Running } from '../supervisor/spawn.ts';
import type { RawPlugin } from './compare.ts';
import { framingOf, messagesOf } from './stage.ts';

export interface RawPluginOptions {
  readonly dialect: DialectName;
  readonly clock: Clock;
  /** For each message that is awaited. */
  readonly limitMs: number;
}

export function rawPlugin(
  { pipe, stop }: Pick<Running, 'pipe' | 'stop'>,
  options: RawPluginOptions,
): RawPlugin {
  const { clock, limitMs } = options;
  const framing = framingOf(options.dialect);
  const heard = new Fifo<JsonObject>();
  let over: string | undefined;
  let wake = () => {};
  const decoder = framing.decoder({
    body(text, start, end) {
      for (const message of messagesOf(text.slice(start, end))) heard.push(message);
    },
    noise: () => {},
    oversize: () => {},
    torn: () => {},
  });
  pipe.open({
    data(chunk) {
      decoder.push(chunk);
      if (heard.size > HEARD_MAX) pipe.destroy({ kind: 'failed', error: new Error('it floods') });
      wake();
    },
    end(ending) {
      decoder.end();
      over = describeEnding(ending);
      wake();
    },
  });
  return {
    send(message) {
      try {
        pipe.write(framing.encode(bodyOf(JSON.stringify(message))));
      } catch (error) {
        // Whoever waits for its answer is told that it is over.
        if (!(error instanceof PluglotError)) throw error;
      }
    },
    next: () =>
      new Promise((resolve, reject) => {
        let callOff = () => {};
        wake = () => {
          if (heard.size === 0 && over === undefined) return;
          callOff();
          wake = () => {};
          const message = heard.shift();
          if (message === undefined) reject(new PluglotError('PIPE_ENDED', over ?? 'it is over'));
          else resolve(message);
        };
        callOff = clock.after(limitMs, () => {
          wake = () => {};
          reject(new PluglotError('CALL_TIMEOUT', `nothing came within ${limitMs / 1000} s`));
        });
        wake();
      }),
    async close() {
      await stop({ stdinMs: 500, termMs: 500 });
    },
  };
}

/** What may wait to be compared. */
const HEARD_MAX = 100_000;
