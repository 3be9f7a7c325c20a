// Where human output goes: escapes only where a person watches.
import pc from 'picocolors';

export interface Terminal {
  readonly colours: ReturnType<typeof pc.createColors>;
  /** A person watches: lines may be rewritten while work goes on. */
  readonly live: boolean;
  readonly columns: number;
  readonly line: (text?: string) => void;
  /** Shows what is going on until the next line; nothing when nobody watches. */
  readonly progress: (text: string) => void;
}

export function createTerminal(out: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Terminal {
  const live = out.isTTY && env['TERM'] !== 'dumb';
  const coloured = env['FORCE_COLOR'] ? env['FORCE_COLOR'] !== '0' : live && !env['NO_COLOR'];
  const colours = pc.createColors(coloured);
  const clear = live ? '\r\u001B[K' : '';
  return {
    colours,
    live,
    columns: out.columns || 80,
    line: (text = '') => void out.write(`${clear}${text}\n`),
    progress: (text) => void (live && out.write(`${clear}${colours.dim(text)}`)),
  };
}
