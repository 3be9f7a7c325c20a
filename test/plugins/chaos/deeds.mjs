// What the plugins of the chaos test can do, whatever dialect they speak.
import { spawn } from 'node:child_process';

export const deeds = ['echo', 'wait', 'flood', 'crash', 'hang', 'spawn', 'print'];

/**
 * Gives the text of the answer; some of the deeds never come to that.
 * @param {string} deed
 * @param {{ text?: string, ms?: number, bytes?: number }} args
 * @returns {Promise<string>}
 */
export async function act(deed, { text = '', ms = 0, bytes = 0 }) {
  switch (deed) {
    case 'echo':
      return text;
    case 'wait':
      await new Promise((resolve) => setTimeout(resolve, ms));
      return text;
    case 'flood':
      await write(process.stderr, `${'x'.repeat(1023)}\n`.repeat(Math.ceil(bytes / 1024)));
      return text;
    case 'print':
      // Text between the messages, as a stray print leaves it.
      await write(process.stdout, 'a print that is no message\n'.repeat(5));
      return text;
    case 'crash':
      process.kill(process.pid, 'SIGSEGV');
      return new Promise(() => {});
    case 'hang':
      return new Promise(() => {});
    case 'spawn': {
      // In a session of its own, as a daemon would be, and deaf to SIGTERM.
      const program = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`;
      spawn(process.execPath, ['-e', program], { detached: true, stdio: 'ignore' }).unref();
      return text;
    }
    default:
      throw new Error(`no such deed: ${deed}`);
  }
}

/**
 * @param {NodeJS.WriteStream} stream
 * @param {string} text
 */
function write(stream, text) {
  return new Promise((resolve) => stream.write(text, resolve));
}
