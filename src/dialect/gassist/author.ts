// The author's end of G-Assist V2: what a definition promises to the engine and to the official emulator, whichever asks.
import { PluglotError } from '../../base/error.ts';
import { sentence } from '../../base/sentence.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { lengthPrefix } from '../../channel/frame/length-prefix.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import type { PeerTrouble } from '../../channel/peer/options.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Backend } from '../../definition/backend.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { AuthorDialect, AuthorServices, Served } from '../author-dialect.ts';
import { AuthorLife } from '../author-life.ts';
import { AuthorSetup } from '../author-setup.ts';
import { withFacetTools, type Offer } from '../facet-tools.ts';
import { hostPeer } from '../host-peer.ts';
import { wireCodeOf } from './codes.ts';
import { introduction } from './introduction.ts';
import { Outbox } from './outbox.ts';
import { isPresent, MESSAGE_BYTES, paramsIn } from './schema.ts';
import { Session } from './session.ts';
import { wordlessFacets } from './tools.ts';

export const gassistAuthor: AuthorDialect = {
  name: 'gassist',
  serve,
};

function serve(pipe: Pipe, backend: Backend, services: AuthorServices): Served {
  const framing = lengthPrefix({ receiveLimit: MESSAGE_BYTES, sendLimit: MESSAGE_BYTES });
  const peer = hostPeer(pipe, framing, services, {
    tolerances: { nullParams: true },
    onTrouble: (trouble) => reportTrouble(trouble, (entry) => session.log(entry)),
  });
  const offer = withFacetTools(backend, wordlessFacets);
  const setup = new AuthorSetup(backend, services.config);
  const session = new Session({ offer, setup, backend }, new Outbox(peer));
  const life = new AuthorLife(peer, backend);
  answerInitialize(peer, backend, offer, setup);
  answerPing(peer);
  peer.handle('execute', (params, context) => session.execute(paramsIn(params), context));
  peer.handle('input', (params, context) => session.input(paramsIn(params), context));
  peer.onNotification('shutdown', () => life.goodbye());
  // The emulator sends it as a request, and ends the plugin soon after the answer, or when there is none for 5 s.
  peer.handle('shutdown', async (_, context) => {
    await life.takeDown();
    context.respond({});
    await life.goodbye();
  });
  return { log: (entry) => session.log(entry), over: life.over, close: () => void life.close() };
}

function answerInitialize(peer: Peer, backend: Backend, offer: Offer, setup: AuthorSetup): void {
  peer.handle('initialize', async (params) => {
    const result = introduction(backend, offer, paramsIn(params));
    try {
      await setup.hello();
    } catch (error) {
      throw error instanceof PluglotError ? new RpcError(wireCodeOf(error.code), error.message) : error;
    }
    return result;
  });
}

/** At once, also while functions run: whoever misses two is ended. */
function answerPing(peer: Peer): void {
  peer.handle('ping', (given) => {
    const { timestamp } = paramsIn(given);
    // By this key the emulator knows a pong.
    return { timestamp: isPresent(timestamp) ? timestamp : Math.floor(Date.now() / 1000) };
  });
}

/** The engine mixes stderr into the wire, so that a log is the only place for it. */
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
        message: `The engine sent what is no JSON-RPC: ${sentence(trouble.reason)}`,
      });
    case 'thrown':
      return log({ level: 'error', message: `${trouble.where} failed: ${trouble.error.message}` });
    case 'noise':
    case 'torn':
  }
}
