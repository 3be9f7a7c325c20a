// A prompt at the bottom of the screen, and everything else above it.
import { createInterface } from 'node:readline';
import type { CommandContext } from '../commands/context.ts';
import type { Terminal } from '../terminal.ts';

export interface Screen {
  /** The same terminals, which make room for the prompt. */
  readonly out: Terminal;
  readonly err: Terminal;
  /** Resolves when the user leaves. */
  readonly left: Promise<void>;
  /** While something runs there is no prompt. */
  pause(): void;
  resume(): void;
  close(): void;
}

type ScreenContext = Pick<CommandContext, 'stdin' | 'stderr' | 'out' | 'err' | 'signal'>;

/** Undefined where nobody types. */
export function openScreen(context: ScreenContext, typed: (line: string) => void): Screen | undefined {
  const { stdin, stderr, out, err, signal } = context;
  if (!stdin.isTTY || !err.live) return undefined;
  const lines = createInterface({
    input: stdin,
    output: stderr,
    terminal: true,
    prompt: err.colours.cyan('> '),
    signal,
  });
  let isShown = false;
  const show = () => {
    isShown = true;
    lines.prompt(true);
  };
  const above =
    <Args extends unknown[]>(write: (...args: Args) => void) =>
    (...args: Args) => {
      if (!isShown) return write(...args);
      stderr.write(CLEAR);
      write(...args);
      show();
    };
  const wrapped = (terminal: Terminal): Terminal => ({ ...terminal, line: above(terminal.line) });
  // On a terminal readline takes Ctrl-C; it means the same as everywhere.
  lines.on('SIGINT', () => process.emit('SIGINT'));
  lines.on('line', (line) => {
    isShown = false;
    typed(line);
  });
  return {
    out: wrapped(out),
    err: wrapped(err),
    left: new Promise((resolve) => lines.once('close', resolve)),
    pause() {
      if (isShown) stderr.write(CLEAR);
      isShown = false;
    },
    resume: show,
    close() {
      isShown = false;
      lines.close();
    },
  };
}

const CLEAR = '\r\u001B[K';
