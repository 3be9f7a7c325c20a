// How commands reach a running `up` of the project: its API as a runtime, and its MCP endpoint as a wire, both over its socket.
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import net, { type Socket } from 'node:net';
import path from 'node:path';
import { systemClock, type Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import { within } from '../../base/async.ts';
import { homeFolders, projectFiles } from '../../fleet/discovery/config-places.ts';
import type { RuntimeApi } from '../../runtime/api.ts';
import { isListening, PIPE_GREETING, pipeSocketOf } from '../http/mcp-pipe.ts';
import { unlessInterrupted, type CommandContext } from './context.ts';

/** A suspended host accepts connections and does not answer. */
const ANSWER_MS = 5000;
const PIPE_ANSWER_MS = 2000;

/** One socket per project, wherever in the project a command is typed. */
export async function socketOf({
  env,
  home,
  cwd,
  configFile,
}: Pick<CommandContext, 'env' | 'home' | 'cwd' | 'configFile'>): Promise<string> {
  const subject = configFile === undefined ? await projectFolder(cwd) : path.resolve(cwd, configFile);
  const name = createHash('sha256').update(subject).digest('hex').slice(0, 12);
  // Paths of sockets have a limit of about 100 bytes.
  return path.join(homeFolders(env, home).state, 'run', `${name}.sock`);
}

/** The folder of the configuration, else the root of the repository, else the current one. */
async function projectFolder(cwd: string): Promise<string> {
  const files = await projectFiles(cwd);
  const configuration = (await files.nearest('pluglot.json')) ?? (await files.nearest('.mcp.json'));
  return configuration === undefined ? files.top : path.dirname(configuration);
}

/** Undefined when no `up` of this user runs there. A host that does not answer fails the first request with CALL_TIMEOUT. */
export async function attach(socket: string): Promise<RuntimeApi | undefined> {
  // Mostly no host runs; nothing has to be loaded to find that out.
  if (!(await isOwnSocket(socket)) || !(await isListening(socket))) return undefined;
  const { connectRuntime } = await import('../../runtime/connect/connect-runtime.ts');
  try {
    return await connectRuntime(`unix:${socket}`, undefined, { answerMs: ANSWER_MS, isChecked: false });
  } catch (thrown) {
    // It has gone since.
    if (thrown instanceof PluglotError && thrown.code === 'UNAVAILABLE') return undefined;
    throw thrown;
  }
}

/** The socket of another user is not used. */
async function isOwnSocket(socket: string): Promise<boolean> {
  const stats = await lstat(socket).catch(() => undefined);
  return stats?.isSocket() === true && (process.getuid === undefined || stats.uid === process.getuid());
}

/**
 * The MCP endpoint of a running `up`, as lines of MCP. Undefined when there is none, or it does not answer.
 * @throws PluglotError CALL_CANCELLED when the signal fires first
 */
export async function attachPipe(
  socket: string,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<Socket | undefined> {
  const path = pipeSocketOf(socket);
  if (!(await isOwnSocket(path))) return undefined;
  const connection = net.connect(path);
  let isGreeted = false;
  try {
    isGreeted =
      (await unlessInterrupted(signal, within(greetingOf(connection), PIPE_ANSWER_MS, clock))) === true;
    return isGreeted ? connection : undefined;
  } finally {
    if (!isGreeted) connection.destroy();
  }
}

/** Resolves with whether the host serves; what comes behind the greeting stays to be read. */
function greetingOf(connection: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    let text = Buffer.alloc(0);
    const read = () => {
      text = Buffer.concat([text, (connection.read() as Buffer | null) ?? Buffer.alloc(0)]);
      if (text.length < PIPE_GREETING.length) return;
      connection.off('readable', read);
      const rest = text.subarray(PIPE_GREETING.length);
      if (rest.length > 0) connection.unshift(rest);
      resolve(text.subarray(0, PIPE_GREETING.length).toString() === PIPE_GREETING);
    };
    connection.on('readable', read);
    for (const event of ['end', 'error', 'close']) connection.on(event, () => resolve(false));
  });
}
