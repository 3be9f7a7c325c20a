// One line per stage of work, with its duration; the output of a stage is shown when it fails.
import { spawn } from 'node:child_process';

const live = process.stdout.isTTY;
const coloured = live && !process.env['NO_COLOR'];

/** @type {Set<number>} */
const groups = new Set();

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
 * Runs a piece of work under a name, prints how it went, and throws on what it threw.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {(value: T) => { ok: boolean, note?: string, details?: string }} [judge]
 * @returns {Promise<T>}
 */
export async function stage(name, work, judge = () => ({ ok: true })) {
  const started = performance.now();
  if (live) process.stdout.write(`  ${dim('…')} ${name}`);
  /** @param {boolean} ok @param {string} [note] */
  const finish = (ok, note) => {
    const took = dim(`${((performance.now() - started) / 1000).toFixed(1)} s`.padStart(8));
    const line = `  ${ok ? green('✓') : red('✗')} ${name.padEnd(14)}${took}${note ? `   ${note}` : ''}`;
    process.stdout.write(`${live ? '\r\x1b[K' : ''}${line}\n`);
  };
  try {
    const value = await work();
    const { ok, note, details } = judge(value);
    finish(ok, note);
    if (!ok && details) printDetails(details);
    return value;
  } catch (error) {
    finish(false);
    if (error instanceof CommandFailed) printDetails(error.output || error.message);
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
    if (child.pid) groups.add(child.pid);
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
      if (child.pid) groups.delete(child.pid);
      resolve({ code, output });
    };
    child.on('error', (error) => {
      output += `${error.message}\n`;
      settle(1);
    });
    child.on('close', (code, signal) => settle(code ?? signal ?? 1));
  });
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.once(signal, () => {
    for (const pid of groups) endGroup(pid);
    process.kill(process.pid, signal);
  });
}

/** @param {number | undefined} pid */
function endGroup(pid) {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

/** @param {string} text */
function printDetails(text) {
  process.stdout.write(`\n${text.trimEnd()}\n\n`);
}

/** @param {string} text */
const green = (text) => (coloured ? `\x1b[32m${text}\x1b[39m` : text);
/** @param {string} text */
const red = (text) => (coloured ? `\x1b[31m${text}\x1b[39m` : text);
/** @param {string} text */
const dim = (text) => (coloured ? `\x1b[2m${text}\x1b[22m` : text);
