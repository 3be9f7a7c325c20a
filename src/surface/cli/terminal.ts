// Where human output goes: escapes only where a person watches, and lines that begin where lines begin.
import pc from 'picocolors';

export interface Terminal {
  readonly colours: ReturnType<typeof pc.createColors>;
  /** A person watches: lines may be rewritten while work goes on. */
  readonly live: boolean;
  readonly columns: number;
  /** A whole line; text that was left without an end gets one first. */
  readonly line: (text?: string) => void;
  /** Text as it comes. */
  readonly text: (text: string) => void;
  /** Begins a new line, unless the last one is over. */
  readonly endLine: () => void;
  /** Shows what is going on until something else is shown; nothing when nobody watches. */
  readonly progress: (text: string) => void;
  /** Takes away what `progress` shows. */
  readonly clear: () => void;
}

export interface Streams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

/** Results and all that is no result. On one screen they know of each other. */
export function createTerminals({ stdout, stderr, env }: Streams): { out: Terminal; err: Terminal } {
  const screen: Screen = { holds: 'nothing' };
  const isShared = isLive(stdout, env) && isLive(stderr, env);
  return {
    out: createTerminal(stdout, env, screen),
    err: createTerminal(stderr, env, isShared ? screen : { holds: 'nothing' }),
  };
}

/** What is in the line that the cursor is in. */
interface Screen {
  holds: 'nothing' | 'text' | 'progress';
}

function createTerminal(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv, screen: Screen): Terminal {
  const live = isLive(stream, env);
  const coloured = env['FORCE_COLOR'] ? env['FORCE_COLOR'] !== '0' : live && !env['NO_COLOR'];
  const colours = pc.createColors(coloured);
  const columns = stream.columns || 80;
  /** Makes room, then writes. */
  const write = (text: string, next: Screen['holds'], isNewLine: boolean) => {
    const before = screen.holds === 'progress' ? CLEAR : screen.holds === 'text' && isNewLine ? '\n' : '';
    screen.holds = next;
    stream.write(`${before}${text}`);
  };
  return {
    colours,
    live,
    columns,
    line: (text = '') => write(`${text}\n`, 'nothing', true),
    text(text) {
      if (text !== '') write(text, text.endsWith('\n') ? 'nothing' : 'text', false);
    },
    endLine() {
      if (screen.holds === 'text') write('', 'nothing', true);
    },
    progress(text) {
      // A line that is broken could not be taken away again.
      const cut = text.length < columns ? text : `${text.slice(0, columns - 2)}…`;
      if (live) write(colours.dim(cut), 'progress', true);
    },
    clear() {
      if (screen.holds === 'progress') write('', 'nothing', false);
    },
  };
}

/** Says nothing to anybody. */
export function silentTerminal({ colours, columns }: Terminal): Terminal {
  const nothing = () => {};
  return {
    colours,
    columns,
    live: false,
    line: nothing,
    text: nothing,
    endLine: nothing,
    progress: nothing,
    clear: nothing,
  };
}

const CLEAR = '\r\u001B[K';

function isLive(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY && env['TERM'] !== 'dumb';
}
