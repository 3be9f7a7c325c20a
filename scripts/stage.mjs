// One line per stage of work, with its duration; the output of a stage is shown when it fails.
import { spawn } from 'node:child_process';

/** @type {Set<number>} */
const groups = new Set();
const fatalSignals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** A failed command, with all it printed. */
export class CommandFailed extends Error {
  /**
   * @param {string} summary
   * @param {string} output
   */
  constructor(summary, output) {
    super(summary);
    this.output = output;
  }
}

/**
 * Runs a piece of work under a name, prints how it went, and throws what it threw.
 * @template T
 * @param {NodeJS.WriteStream} out
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {(value: T) => { ok: boolean, note?: string, details?: string }} [judge]
 * @returns {Promise<T>}
 */
export async function stage(out, name, work, judge = () => ({ ok: true })) {
  const started = performance.now();
  const paint = painter(out);
  if (out.isTTY) out.write(`  ${paint.dim('…')} ${name}`);
  /** @param {{ ok: boolean, note?: string, details?: string }} verdict */
  const finish = ({ ok, note, details }) => {
    const took = paint.dim(`${((performance.now() - started) / 1000).toFixed(1)} s`.padStart(8));
    const line = `  ${ok ? paint.green('✓') : paint.red('✗')} ${name.padEnd(14)}${took}${note ? `   ${note}` : ''}`;
    out.write(`${out.isTTY ? '\r\x1b[K' : ''}${line}\n`);
    if (!ok && details) out.write(`\n${details.trim()}\n\n`);
  };
  try {
    const value = await work();
    finish(judge(value));
    return value;
  } catch (error) {
    finish({ ok: false, details: error instanceof CommandFailed ? error.output || error.message : '' });
    throw error;
  }
}

/**
 * Runs a program, keeps its output, and throws CommandFailed unless it exits with 0.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, limitMs?: number }} [options]
 * @returns {Promise<string>}
 */
export async function run(command, args, options) {
  const { code, output } = await attempt(command, args, options);
  if (code !== 0) throw new CommandFailed(`${command} ended with ${code}`, output);
  return output;
}

/**
 * Runs a program and tells how it ended. It has its own process group, which is ended with it or with us.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, limitMs?: number }} [options]
 * @returns {Promise<{ code: number | string, output: string }>}
 */
export function attempt(command, args, { cwd, env, limitMs = 900_000 } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    addGroup(child.pid);
    let output = '';
    /** @param {string} text */
    const collect = (text) => {
      output += text;
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    const limit = setTimeout(() => {
      output += `\nEnded after ${limitMs / 1000} s: the time limit of this stage.\n`;
      endGroup(child.pid);
    }, limitMs);
    /** @param {number | string} code */
    const settle = (code) => {
      clearTimeout(limit);
      forgetGroup(child.pid);
      resolve({ code, output });
    };
    child.on('error', (error) => {
      output += `${error.message}\n`;
      settle(1);
    });
    child.on('close', (code, signal) => settle(code ?? signal ?? 1));
  });
}

/**
 * Remembers a group while it runs. We handle signals only then: later they are the business of the command that follows.
 * @param {number | undefined} pid
 */
function addGroup(pid) {
  if (pid === undefined) return;
  if (groups.size === 0) for (const signal of fatalSignals) process.once(signal, endAll);
  groups.add(pid);
}

/** @param {number | undefined} pid */
function forgetGroup(pid) {
  if (pid === undefined || !groups.delete(pid) || groups.size > 0) return;
  for (const signal of fatalSignals) process.off(signal, endAll);
}

/** @param {NodeJS.Signals} signal */
function endAll(signal) {
  for (const pid of groups) endGroup(pid);
  process.kill(process.pid, signal);
}

/** @param {number | undefined} pid */
function endGroup(pid) {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

/** @param {NodeJS.WriteStream} out */
function painter(out) {
  const coloured = out.isTTY && !process.env['NO_COLOR'];
  /** @param {number} on @param {number} off */
  const code = (on, off) => (/** @type {string} */ text) =>
    coloured ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return { green: code(32, 39), red: code(31, 39), dim: code(2, 22) };
}
