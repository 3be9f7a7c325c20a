// The person at this terminal. Only where input and output are a terminal: piped input is not an answer of a person.
import { createInterface } from 'node:readline';
import { printable } from '../../base/printable.ts';
import type { TerminalPort } from '../../outside/terminal.ts';
import type { CommandContext } from './context.ts';

type PersonContext = Pick<CommandContext, 'stdin' | 'stderr' | 'err' | 'signal'>;

export interface TerminalPerson extends TerminalPort {
  /** The same person, for questions of the gate: these draw themselves, in colours of their own. */
  readonly approvals: TerminalPort;
}

/** One question at a time; other output waits meanwhile. Undefined where no one can answer. */
export function personAt(context: PersonContext): TerminalPerson | undefined {
  const { stdin, err } = context;
  if (!stdin.isTTY || !err.live) return undefined;
  let last: Promise<unknown> = Promise.resolve();
  const ask: TerminalPort['ask'] = (shown, prompt, given) => {
    const signal = AbortSignal.any([given, context.signal]);
    const mine = last.then(() => (signal.aborted ? undefined : askNow(context, shown, prompt, signal)));
    last = mine.catch(() => {});
    // A question may be cancelled before its turn.
    return Promise.race([mine, firing(signal)]);
  };
  const { cyan, bold, green, red } = err.colours;
  return {
    ask: (shown, prompt, signal) => ask(printable(shown), printable(prompt), signal),
    approvals: {
      ask,
      columns: err.columns,
      colours: { frame: cyan, strong: bold, added: green, removed: red },
    },
  };
}

async function askNow(
  { stdin, stderr, err }: PersonContext,
  shown: string,
  prompt: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const release = err.hold();
  try {
    await forgetTyped(stdin);
    if (signal.aborted) return undefined;
    stderr.write(`${shown.trimEnd()}\n`);
    const answer = await readLine(stdin, stderr, prompt, signal);
    // Without an answer the line is not ended.
    if (answer === undefined) stderr.write(signal.aborted ? `\n${OVER}\n` : '\n');
    return answer;
  } finally {
    release();
  }
}

/** So that a settled question does not look like an open one. */
const OVER = '┗━━ No answer is needed any more: it was given elsewhere, or the call has ended.';

/** Input that was typed before the question was shown does not answer it. */
async function forgetTyped(stdin: NodeJS.ReadStream): Promise<void> {
  const ignore = (chunk: Buffer | string) => {
    if (chunk.toString().includes('\u0003')) process.emit('SIGINT');
  };
  stdin.setRawMode(true);
  stdin.on('data', ignore);
  stdin.resume();
  await new Promise((resolve) => setTimeout(resolve, FORGET_MS));
  stdin.off('data', ignore);
  stdin.pause();
}

/** Shorter than a person needs to read, longer than the terminal needs for its buffer. */
const FORGET_MS = 60;

function readLine(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  prompt: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const lines = createInterface({ input, output, terminal: true, prompt, signal, historySize: 0 });
  // On a terminal readline takes Ctrl-C; it means the same as everywhere.
  lines.on('SIGINT', () => process.emit('SIGINT'));
  return new Promise((resolve) => {
    lines.once('close', () => resolve(undefined));
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.prompt();
  });
}

function firing(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
