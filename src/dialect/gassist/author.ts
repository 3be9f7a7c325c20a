// The author's end of G-Assist V2, for the engine and for the official emulator.
import { PluglotError } from '../../base/error.ts';
import { sentence } from '../../base/text.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { lengthPrefix } from '../../channel/frame/length-prefix.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { PeerTrouble } from '../../channel/peer/options.ts';
import type { ServedPort } from '../../definition/plugin-port.ts';
import type { LogEntry } from '../../definition/tool.ts';
import { AuthorLife, AuthorSetup, hostPeer } from '../author-base.ts';
import type { AuthorDialect, AuthorServices, Served } from '../author-dialect.ts';
import { withFacetTools } from '../facet-tools.ts';
import { QueuedSender } from '../sender.ts';
import { EngineCalls } from './author-calls.ts';
import { wireCodeOf } from './codes.ts';
import { facetsAsTools, introduction } from './manifest.ts';
import { isPresent, MESSAGE_BYTES, paramsIn } from './schema.ts';

export const gassistAuthor: AuthorDialect = { name: 'gassist', serve };

function serve(pipe: Pipe, backend: ServedPort, services: AuthorServices): Served {
  const framing = lengthPrefix({ receiveLimit: MESSAGE_BYTES, sendLimit: MESSAGE_BYTES });
  const peer = hostPeer(pipe, framing, services, {
    tolerances: { nullParams: true },
    onTrouble: (trouble) => reportTrouble(trouble, (entry) => calls.log(entry)),
  });
  const offer = withFacetTools(backend, facetsAsTools);
  const setup = new AuthorSetup(backend, services.config);
  const calls = new EngineCalls({ offer, setup, backend }, new QueuedSender(peer));
  const life = new AuthorLife(peer, backend);
  peer.handle('initialize', async (params) => {
    const result = introduction(backend, offer, paramsIn(params));
    await setup.handshake().catch(refuseSetup);
    return result;
  });
  // Answered at once, also while functions run: the engine ends a plugin that misses two.
  peer.handle('ping', (params) => {
    const { timestamp } = paramsIn(params);
    // The emulator recognises a pong by this key.
    return { timestamp: isPresent(timestamp) ? timestamp : Math.floor(Date.now() / 1000) };
  });
  peer.handle('execute', (params, context) => calls.execute(paramsIn(params), context));
  peer.handle('input', (params, context) => calls.input(paramsIn(params), context));
  peer.onNotification('shutdown', () => life.goodbye());
  // The emulator sends it as a request, and ends the plugin soon after the answer, or after 5 s without one.
  peer.handle('shutdown', async (_, context) => {
    await life.takeDown();
    context.respond({});
    await life.goodbye();
  });
  return { log: (entry) => calls.log(entry), over: life.over, close: () => void life.close() };
}

function refuseSetup(error: unknown): never {
  throw error instanceof PluglotError ? new RpcError(wireCodeOf(error.code), error.message) : error;
}

/** The engine mixes stderr into the wire, so a log is the only place for it. */
function reportTrouble(trouble: PeerTrouble, log: (entry: LogEntry) => void): void {
  switch (trouble.kind) {
    case 'oversize':
      return log({
        level: 'warn',
        message: `The engine sent a message of ${trouble.size} bytes, which was skipped: the limit is ${MESSAGE_BYTES}.`,
      });
    case 'invalid':
      return log({
        level: 'warn',
        message: `The engine sent what is not JSON-RPC: ${sentence(trouble.reason)}`,
      });
    case 'thrown':
      return log({ level: 'error', message: `${trouble.where} failed: ${trouble.error.message}` });
    case 'noise':
    case 'torn':
  }
}
