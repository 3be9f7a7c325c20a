// Where human output goes: escapes only where a person watches, and lines that begin where lines begin.
import pc from 'picocolors';
import { printable } from '../../base/printable.ts';

export interface Terminal {
  readonly colours: ReturnType<typeof pc.createColors>;
  /** A person watches: lines may be rewritten while work goes on. */
  readonly live: boolean;
  readonly columns: number;
  /** Where longer lines are broken; undefined when it is not a terminal. */
  readonly rowWidth: number | undefined;
  /** A whole line; text that was left without an end gets one first. */
  readonly line: (text?: string) => void;
  /** Text as it comes. */
  readonly text: (text: string) => void;
  /** Begins a new line, unless the last one is over. */
  readonly endLine: () => void;
  /** Shows what is going on until something else is shown; nothing without a terminal. */
  readonly progress: (text: string) => void;
  /** Takes away what `progress` shows. */
  readonly clear: () => void;
  /** Lines that stay below all else and can be shown anew; undefined: they are lines like others from now on. Nothing without a terminal. */
  readonly pin: (lines: readonly string[] | undefined) => void;
  /** Keeps back what is written to this screen from now on, until the returned function is called: a person is asked something. */
  readonly hold: () => () => void;
}

export interface Streams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

/** Results and other output. On one screen they are coordinated. */
export function createTerminals({ stdout, stderr, env }: Streams): { out: Terminal; err: Terminal } {
  const screen: Screen = { holds: 'nothing', pinned: [] };
  const isShared = isLive(stdout, env) && isLive(stderr, env);
  const err = createTerminal(stderr, env, isShared ? screen : { holds: 'nothing', pinned: [] });
  // What is piped may well end up on the screen that shows the progress.
  const out = createTerminal(stdout, env, screen, isShared ? undefined : err.clear);
  return { out, err };
}

/** What is in the line that the cursor is in, and what waits to be written. */
interface Screen {
  holds: 'nothing' | 'text' | 'progress';
  kept?: KeptWrites | undefined;
  /** What stays below all else. */
  pinned: readonly string[];
}

function createTerminal(
  stream: NodeJS.WriteStream,
  env: NodeJS.ProcessEnv,
  screen: Screen,
  beforeWrite?: () => void,
): Terminal {
  const live = isLive(stream, env);
  const coloured = env['FORCE_COLOR'] ? env['FORCE_COLOR'] !== '0' : live && !env['NO_COLOR'];
  const colours = pc.createColors(coloured);
  /** Asked again each time: windows are resized. */
  const columnsNow = () => stream.columns || 80;
  /** Makes room, then writes. */
  const write = (text: string, next: Screen['holds'], isNewLine: boolean) => {
    beforeWrite?.();
    const before = screen.holds === 'progress' ? CLEAR : screen.holds === 'text' && isNewLine ? '\n' : '';
    screen.holds = next;
    // Only whole lines come above what is pinned: the rest would be torn.
    const isAbove = screen.pinned.length > 0 && next === 'nothing';
    stream.write(isAbove ? `${up(screen.pinned)}${text}${screen.pinned.join('')}` : `${before}${text}`);
  };
  const line = (text: string) => write(`${text}\n`, 'nothing', true);
  const some = (text: string) => {
    if (text !== '') write(text, text.endsWith('\n') ? 'nothing' : 'text', false);
  };
  const endLine = () => {
    if (screen.holds === 'text') write('', 'nothing', true);
  };
  const clear = () => {
    if (screen.holds === 'progress') write('', 'nothing', false);
  };
  return {
    colours,
    live,
    get columns() {
      return columnsNow();
    },
    get rowWidth() {
      return stream.isTTY ? columnsNow() : undefined;
    },
    line: (text = '') => (screen.kept === undefined ? line(text) : screen.kept.add(text, line)),
    text: (text) => (screen.kept === undefined ? some(text) : screen.kept.add(text, some)),
    endLine: () => (screen.kept === undefined ? endLine() : screen.kept.add('', endLine)),
    progress(text) {
      // A line that is broken could not be taken away again. Names in it may be anything.
      const line = printable(text).replaceAll(/[\n\t]/g, ' ');
      const columns = columnsNow();
      const cut = line.length < columns ? line : `${line.slice(0, columns - 2)}…`;
      if (live && screen.kept === undefined && screen.pinned.length === 0)
        write(colours.dim(cut), 'progress', true);
    },
    clear() {
      if (screen.kept === undefined) clear();
    },
    pin(lines) {
      if (!live || screen.kept !== undefined) return;
      clear();
      endLine();
      const before = up(screen.pinned);
      screen.pinned = (lines ?? []).map((each) => `${each}\n`);
      if (lines !== undefined) stream.write(`${before}${screen.pinned.join('')}`);
    },
    hold() {
      // Who is asked reads and writes below.
      screen.pinned = [];
      clear();
      endLine();
      const kept = (screen.kept ??= new KeptWrites());
      kept.holders += 1;
      return () => {
        kept.holders -= 1;
        if (kept.holders > 0) return;
        screen.kept = undefined;
        kept.release();
        if (kept.dropped > 0) line(`… and ${kept.dropped} more that came meanwhile.`);
      };
    },
  };
}

/** What was to be written while a question was open. Too much is dropped, so that output cannot fill the memory. */
class KeptWrites {
  holders = 0;
  dropped = 0;
  #room = 1024 * 1024;
  readonly #writes: (() => void)[] = [];

  add(text: string, write: (text: string) => void): void {
    // Each costs something, also without a text.
    this.#room -= text.length + 64;
    if (this.#room < 0) this.dropped += 1;
    else this.#writes.push(() => write(text));
  }

  release(): void {
    for (const write of this.#writes) write();
  }
}

/** A warning. */
export function warn({ line, colours }: Terminal, text: string): void {
  line(`${colours.yellow('!')} ${text}`);
}

/** Something was done. */
export function confirm({ line, colours }: Terminal, text: string): void {
  line(`${colours.green('✓')} ${text}`);
}

/** What helps a person, and is not a result. */
export function hint({ line, colours }: Terminal, text: string): void {
  line(colours.dim(text));
}

/** A terminal that shows nothing. */
export function silentTerminal({ colours, columns }: Terminal): Terminal {
  const nothing = () => {};
  return {
    colours,
    columns,
    rowWidth: undefined,
    live: false,
    line: nothing,
    text: nothing,
    endLine: nothing,
    progress: nothing,
    clear: nothing,
    pin: nothing,
    hold: () => nothing,
  };
}

/** To the first of these lines, with nothing below. */
function up(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\u001B[${lines.length}A\u001B[J`;
}

const CLEAR = '\r\u001B[K';

function isLive(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY && env['TERM'] !== 'dumb';
}

/** The end of a help text. */
export function exampleLines({ bold }: Terminal['colours'], lines: readonly string[]): string {
  return `\n${bold('Examples:')}\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}
