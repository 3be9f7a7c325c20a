// The fleet of a running `up`, through its socket.
import { lstat } from 'node:fs/promises';
import net from 'node:net';
import { isJsonObject } from '../../../base/json.ts';
import { socketPipe } from '../../../channel/bytes/stream-pipe.ts';
import { lines } from '../../../channel/frame/lines.ts';
import { framedLink } from '../../../channel/link/framed-link.ts';
import { Peer } from '../../../channel/peer/peer.ts';
import type { CallEvent, Outcome } from '../../../definition/outcome.ts';
import { fromWireError } from './attach-protocol.ts';
import type { LogRecord } from '../../../fleet/plugin/logs/log-book.ts';
import type { Host, HostTalk } from './host.ts';

/** Undefined when no `up` runs there. */
export async function attach(socket: string): Promise<Host | undefined> {
  const connection = (await isOwn(socket)) ? await connect(socket) : undefined;
  return connection && attachedHost(connection);
}

/** Whoever made the socket hears all arguments, and answers as it likes. */
async function isOwn(socket: string): Promise<boolean> {
  const stats = await lstat(socket).catch(() => undefined);
  return stats !== undefined && (process.getuid === undefined || stats.uid === process.getuid());
}

function connect(socket: string): Promise<net.Socket | undefined> {
  return new Promise((resolve) => {
    const connection = net.connect(socket);
    connection.once('connect', () => resolve(connection));
    connection.once('error', () => resolve(undefined));
  });
}

function attachedHost(connection: net.Socket): Host {
  const peer = new Peer(framedLink(socketPipe(connection), lines()), {
    name: 'the running `pluglot up`',
  });
  const streams = new Map<number, (event: unknown) => void>();
  let lastStream = 0;
  peer.onNotification('event', (params) => {
    if (isJsonObject(params)) streams.get(Number(params['stream']))?.(params['event']);
  });
  /** Answers come from our own other end, so their form is known. */
  const ask = async <Result>(method: string, params?: object): Promise<Result> => {
    try {
      return (await peer.request(method, params)) as Result;
    } catch (thrown) {
      throw fromWireError(thrown);
    }
  };
  const askStreaming = async <Result>(
    method: string,
    params: object,
    listener: (event: unknown) => void,
    signal: AbortSignal,
  ): Promise<Result> => {
    lastStream += 1;
    const stream = lastStream;
    streams.set(stream, listener);
    // Not given up here: how it ends, with all that was said before, is told by the other end.
    const cancel = () => void peer.notify('cancel', { stream });
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answer = ask<Result>(method, { ...params, stream });
      if (signal.aborted) cancel();
      return await answer;
    } finally {
      signal.removeEventListener('abort', cancel);
      streams.delete(stream);
    }
  };
  const toCallEvent = (onEvent: (event: CallEvent) => void) => (event: unknown) =>
    onEvent(event as CallEvent);
  return {
    plugins: (options) => ask('plugins', options),
    problems: () => ask('problems'),
    tools: (options) => ask('tools', options),
    findTool: (name) => ask('findTool', { name }),
    commands: (options) => ask('commands', options),
    findCommand: (name) => ask('findCommand', { name }),
    complete: (name, parameter, typed) => ask('complete', { name, parameter, typed }),
    run: (run, onEvent, signal) => askStreaming('run', { run }, toCallEvent(onEvent), signal),
    inspect: (plugin) => ask('inspect', { plugin }),
    start: (plugin) => ask('start', { plugin }),
    stop: (plugin) => ask('stop', { plugin }),
    restart: (plugin) => ask('restart', { plugin }),
    call: (request, onEvent, signal) => askStreaming('call', { request }, toCallEvent(onEvent), signal),
    async talk(request, onEvent, signal): Promise<HostTalk> {
      const { talk, first } = await askStreaming<{ talk: number; first: Outcome }>(
        'talk',
        { request },
        toCallEvent(onEvent),
        signal,
      );
      return {
        first,
        say: (content, onEvent, signal) =>
          askStreaming('say', { talk, content }, toCallEvent(onEvent), signal),
        end: () => ask('endTalk', { talk }),
      };
    },
    async logs(plugin, { signal, ...options }, onEntry) {
      await askStreaming('logs', { plugin, ...options }, (event) => onEntry(event as LogRecord), signal);
    },
    close: () => peer.close({ pending: 'abort', timeoutMs: 1000 }),
  };
}
