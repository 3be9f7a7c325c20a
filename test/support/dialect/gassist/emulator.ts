// Runs a plugin under test/raw-hosts/gassist_emulator.py, and reads what it reports.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { root } from '../../project.ts';

/** What the engine is to do, as the emulator describes it. */
export interface Step {
  readonly do: 'initialize' | 'execute' | 'input' | 'shutdown' | 'send' | 'end';
  readonly [key: string]: unknown;
}

interface Message {
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

export interface EmulatorReport {
  /** What came of each step. */
  readonly answers: readonly { readonly ok: boolean; readonly text?: string }[];
  /** The messages of the plugin, in order. */
  readonly said: readonly Message[];
  readonly problems: readonly string[];
  readonly exitCode: number;
}

/**
 * What the official emulator starts for a folder: the file that manifest.json names, to the letter. A script of Python gets its
 * interpreter, everything else is executed as it is.
 */
export function emulatorCommand(folder: string): readonly string[] {
  // A test's own manifest.
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as {
    readonly executable: string;
  };
  const file = path.join(folder, manifest.executable);
  if (!fs.existsSync(file)) throw new Error(`Executable not found: ${file}`);
  return file.endsWith('.py') ? ['python3', file] : [file];
}

/** Long, since a busy machine is not a fault of the plugin. */
const patience = ['heartbeat', 'execute-seconds', 'shutdown-seconds', 'exit-seconds'].flatMap((name) => [
  `--${name}`,
  '60',
]);

export async function runEmulator(
  command: readonly string[],
  steps: readonly Step[],
  options: readonly string[] = [],
): Promise<EmulatorReport> {
  const emulator = path.join(root, 'test/raw-hosts/gassist_emulator.py');
  const child = spawn('python3', [emulator, ...patience, ...options, '--', ...command], { cwd: root });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end(steps.map((step) => `${JSON.stringify(step)}\n`).join(''));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (stderr !== '') throw new Error(`The emulator failed: ${stderr}`);
  // It is our own program.
  const report = JSON.parse(stdout) as Omit<EmulatorReport, 'said' | 'exitCode'> & {
    readonly exit_code: number;
    readonly transcript: readonly { readonly from: 'engine' | 'plugin'; readonly message: Message }[];
  };
  const { answers, problems, exit_code: exitCode, transcript } = report;
  const said = transcript.filter(({ from }) => from === 'plugin').map(({ message }) => message);
  return { answers, problems, exitCode, said };
}
