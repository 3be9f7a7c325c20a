// What a command prints, told to its caller as it comes: stdout as text, stderr as lines of the log.
import type { HandlerContext } from '../../definition/definition.ts';
import { isBinaryText } from './kept-output.ts';
import type { OutputListener } from './run.ts';

/** A line that does not end is told in pieces. */
const LONGEST_LINE = 2000;

export interface LiveOutput extends OutputListener {
  /** Tells what is left of a line. */
  end(): void;
}

/** So much of each stream as is kept of it; the caller gets the end of longer output with the result. */
export function liveOutput(
  { stream, log }: Pick<HandlerContext, 'stream' | 'log'>,
  maxChars: number,
): LiveOutput {
  const takeOut = limited(maxChars);
  const takeErr = limited(maxChars);
  let line = '';
  const tellLine = (text: string) => {
    if (text !== '') log('info', text);
  };
  return {
    stdout(text) {
      const taken = takeOut(text);
      if (taken !== '') stream(taken);
    },
    stderr(text) {
      const lines = (line + takeErr(text)).split(/\r?\n/);
      line = lines.pop() ?? '';
      lines.forEach(tellLine);
      for (; line.length > LONGEST_LINE; line = line.slice(LONGEST_LINE))
        tellLine(line.slice(0, LONGEST_LINE));
    },
    end() {
      tellLine(line);
      line = '';
    },
  };
}

function limited(maxChars: number): (text: string) => string {
  let left = maxChars;
  return (text) => {
    if (left === 0 || isBinaryText(text)) return '';
    if (text.length <= left) {
      left -= text.length;
      return text;
    }
    const taken = text.slice(0, left);
    left = 0;
    return `${taken}\n[… more than ${maxChars} characters; the result has the end of them …]\n`;
  };
}
