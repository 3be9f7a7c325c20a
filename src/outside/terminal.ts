// Asks and notifies the person at a terminal.
import { systemClock, type Clock } from '../base/clock.ts';
import { limited, unlessAborted, type Outside } from './outside.ts';

/** A person at a terminal. Nothing else is written to the terminal between what is shown and the answer. */
export interface TerminalPort {
  /** Shows the text, then reads one line; undefined at the end of the input or when the signal fires. */
  ask(shown: string, prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** @default none */
  readonly colours?: Colours;
  /** @default 80 */
  readonly columns?: number;
}

/** How parts of a question look; each returns its text, perhaps in a colour. */
export interface Colours {
  frame(text: string): string;
  strong(text: string): string;
  added(text: string): string;
  removed(text: string): string;
}

export interface TerminalOptions {
  /** Undefined: no person can be asked. */
  readonly port?: TerminalPort | undefined;
  /** @default nothing is printed */
  readonly print?: (line: string) => void;
  /** How long a person may take to answer. @default 300000 */
  readonly limitMs?: number;
  /** @default the system clock */
  readonly clock?: Clock;
}

export function terminal({
  port,
  print = () => {},
  limitMs = 300_000,
  clock = systemClock,
}: TerminalOptions): Outside {
  return {
    name: 'the terminal',
    ask: (question, signal) =>
      limited({ limitMs, clock, signal }, async (ended) => {
        if (port === undefined) throw new Error('no person is at a terminal');
        const answer = await question.dialog((shown, prompt) =>
          unlessAborted(port.ask(shown, prompt, ended), ended),
        );
        return { kind: 'answered', answer };
      }),
    notify: (notice) => {
      try {
        for (const line of notice.lines()) print(line);
        return Promise.resolve({ kind: 'sent' });
      } catch {
        return Promise.resolve({ kind: 'failed', reason: 'the terminal is closed' });
      }
    },
  };
}
