// The bench's handle on one host process.
import { fork } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** @typedef {import('./host.mjs').Command} Command */
/**
 * @typedef {object} HostOptions
 * @property {readonly string[]} [nodeOptions]
 * @property {string | undefined} [processor] binds the host and its children to one
 * @property {string | undefined} [alsoLoad] another contender whose modules are loaded but not used
 */

const longestAnswerMs = 120_000;
/** @type {Set<HostProcess>} */
const living = new Set();

export class HostProcess {
  #process;
  /** @type {{ resolve(value: unknown): void, reject(error: Error): void } | undefined} */
  #asked;
  #contender;

  /**
   * @param {string} contender
   * @param {HostOptions} [options]
   */
  constructor(contender, { nodeOptions = [], processor, alsoLoad } = {}) {
    this.#contender = contender;
    const node = [...nodeOptions];
    const file = fileURLToPath(new URL('host.mjs', import.meta.url));
    this.#process = fork(file, alsoLoad === undefined ? [contender] : [contender, alsoLoad], {
      ...(processor === undefined
        ? { execArgv: node }
        : { execPath: 'taskset', execArgv: ['--cpu-list', processor, process.execPath, ...node] }),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    living.add(this);
    this.#process.on('message', (/** @type {{ value?: unknown, error?: string }} */ answer) => {
      if (answer.error === undefined) this.#asked?.resolve(answer.value);
      else this.#asked?.reject(new Error(`${contender}: ${answer.error}`));
    });
    this.#process.on('exit', (code, signal) => {
      living.delete(this);
      this.#asked?.reject(new Error(`${contender}: its host process ended (${signal ?? code}).`));
    });
  }

  /** @param {number} connections */
  async open(connections) {
    await this.#answer();
    await this.ask({ kind: 'open', connections });
  }

  /**
   * @param {Command} command
   * @returns {Promise<unknown>}
   */
  ask(command) {
    if (!this.#process.connected)
      return Promise.reject(new Error(`${this.#contender}: its host process is gone.`));
    this.#process.send(command);
    return this.#answer(command);
  }

  close() {
    living.delete(this);
    this.#process.kill('SIGTERM');
  }

  /**
   * @param {Command} [command]
   * @returns {Promise<unknown>}
   */
  #answer(command) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(
          new Error(
            `${this.#contender}: no answer to ${JSON.stringify(command ?? 'start')} in ${longestAnswerMs / 1000} s.`,
          ),
        );
      }, longestAnswerMs);
      const settled = () => {
        clearTimeout(timer);
        this.#asked = undefined;
      };
      this.#asked = {
        resolve: (value) => (settled(), resolve(value)),
        reject: (error) => (settled(), reject(error)),
      };
    });
  }
}

/** Each host ends its own children when it is ended. */
export function closeHosts() {
  for (const host of living) host.close();
}
