// The end of `up`: lets commands of the same user use its fleet through a socket.
import { rmSync, statSync } from 'node:fs';
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { PluglotError } from '../../../base/error.ts';
import { isJsonObject } from '../../../base/json.ts';
import { socketPipe } from '../../../channel/bytes/stream-pipe.ts';
import { lines } from '../../../channel/frame/lines.ts';
import { framedLink } from '../../../channel/link/framed-link.ts';
import { Peer } from '../../../channel/peer/peer.ts';
import { toWireError } from './attach-protocol.ts';
import type { Host, HostCall, HostRun, HostTalk } from './host.ts';

/**
 * Listens until it is closed. The folder is the user's alone, so whoever can connect may do what the user may.
 * @throws PluglotError INVALID_ARGUMENTS when another `up` of this project listens there: then there is nothing to start
 */
export async function serveHost(host: Host, socket: string): Promise<{ close(): Promise<void> }> {
  // The system cuts longer ones off without a word.
  if (Buffer.byteLength(socket) > SOCKET_PATH_MAX) {
    throw new PluglotError(
      'UNAVAILABLE',
      `The path ${socket} is too long for a socket. Choose a shorter state folder with PLUGLOT_HOME.`,
    );
  }
  await makeOwnFolder(path.dirname(socket));
  const peers = new Set<Peer>();
  const server = net.createServer((connection) => {
    const peer = servePeer(host, connection);
    peers.add(peer);
    void peer.closed.then(() => peers.delete(peer));
  });
  // Whoever comes first has the name: nobody removes that of one who has just come.
  if (!(await listens(server, socket))) {
    await removeStale(socket);
    if (!(await listens(server, socket))) throw runsAlready();
  }
  await fs.chmod(socket, 0o600);
  return {
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      await Promise.all([...peers].map((peer) => peer.close({ pending: 'abort', timeoutMs: 1000 })));
      await closed;
      await fs.rm(socket, { force: true });
    },
  };
}

const SOCKET_PATH_MAX = 103;

async function makeOwnFolder(folder: string): Promise<void> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = await fs.stat(folder);
  if (process.getuid !== undefined && uid !== process.getuid())
    throw new PluglotError(
      'UNAVAILABLE',
      `${folder} belongs to somebody else, who could take the place of this fleet. Choose another state folder with PLUGLOT_HOME.`,
    );
  // One that was there before may be open to others.
  if ((mode & 0o077) !== 0) await fs.chmod(folder, 0o700);
}

/** False when the name is taken. */
function listens(server: net.Server, socket: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error);
    server.once('error', fail);
    server.listen(socket, () => {
      server.off('error', fail);
      // What fails later is one connection.
      server.on('error', () => {});
      resolve(true);
    });
  });
}

/** What an `up` that was killed has left; and that alone, should another one have come meanwhile. */
async function removeStale(socket: string): Promise<void> {
  const before = identityOf(socket);
  if (await someoneListens(socket)) throw runsAlready();
  if (before === identityOf(socket)) rmSync(socket, { force: true });
}

/** Numbers of files are given again; the moment is not. */
function identityOf(file: string): string {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return `${stat?.ino} ${stat?.ctimeNs}`;
}

function runsAlready(): PluglotError {
  return new PluglotError(
    'INVALID_ARGUMENTS',
    'A `pluglot up` of this project is running already. `pluglot status` shows it.',
  );
}

function someoneListens(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = net.connect(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => resolve(false));
  });
}

/** What commands send; each method reads its own. They come from our own other end, over a socket that only the user can open. */
interface Params {
  readonly name: string;
  readonly plugin: string;
  readonly request: HostCall;
  readonly stream: number;
  readonly talk: number;
  readonly content: string;
  readonly follow: boolean;
  readonly since: number;
  readonly ask: boolean;
  readonly all: boolean;
  readonly run: HostRun;
  readonly parameter: string;
  readonly typed: string;
}

function servePeer(host: Host, connection: net.Socket): Peer {
  const peer = new Peer(framedLink(socketPipe(connection), lines()), { name: 'a command' });
  const streams = new Map<number, AbortController>();
  const talks = new Map<number, HostTalk>();
  let lastTalk = 0;

  const handle = (method: string, work: (params: Params) => Promise<unknown>) =>
    peer.handle(method, async (params) => {
      try {
        return (await work((params ?? {}) as Params)) ?? null;
      } catch (thrown) {
        throw toWireError(thrown);
      }
    });
  /** Something that tells events while it goes on, and can be given up. */
  const handleStream = (
    method: string,
    work: (params: Params, onEvent: (event: unknown) => void, signal: AbortSignal) => Promise<unknown>,
  ) =>
    handle(method, async (params) => {
      const { stream } = params;
      const controller = new AbortController();
      streams.set(stream, controller);
      try {
        return await work(params, (event) => void peer.notify('event', { stream, event }), controller.signal);
      } finally {
        streams.delete(stream);
      }
    });

  handle('plugins', ({ all }) => host.plugins({ all }));
  handle('problems', () => host.problems());
  handle('tools', ({ ask, all }) => host.tools({ ask, all }));
  handle('findTool', ({ name }) => host.findTool(name));
  handle('commands', ({ all }) => host.commands({ all }));
  handle('findCommand', ({ name }) => host.findCommand(name));
  handle('complete', ({ name, parameter, typed }) => host.complete(name, parameter, typed));
  handleStream('run', ({ run }, onEvent, signal) => host.run(run, onEvent, signal));
  handle('inspect', ({ plugin }) => host.inspect(plugin));
  for (const action of ['start', 'stop', 'restart'] as const)
    handle(action, ({ plugin }) => host[action](plugin));
  handleStream('call', ({ request }, onEvent, signal) => host.call(request, onEvent, signal));
  handleStream('talk', async ({ request }, onEvent, signal) => {
    const talk = await host.talk(request, onEvent, signal);
    lastTalk += 1;
    talks.set(lastTalk, talk);
    return { talk: lastTalk, first: talk.first };
  });
  handleStream('say', async ({ talk, content }, onEvent, signal) => {
    const conversation = talks.get(talk);
    if (conversation === undefined) throw new PluglotError('NOT_TALKING', 'This conversation is over.');
    return conversation.say(content, onEvent, signal);
  });
  handle('endTalk', async ({ talk }) => {
    await talks.get(talk)?.end();
    talks.delete(talk);
  });
  handleStream('logs', ({ plugin, follow, since }, onEvent, signal) =>
    host.logs(plugin, { follow, since, signal }, onEvent),
  );
  peer.onNotification('cancel', (params) => {
    if (isJsonObject(params)) streams.get(Number(params['stream']))?.abort();
  });
  // A command that goes away without a goodbye leaves nothing behind.
  void peer.ended.then(async () => {
    for (const controller of streams.values()) controller.abort();
    await Promise.all([...talks.values()].map((talk) => talk.end()));
  });
  return peer;
}
