// The author's side of gevals: an extension on the wire, whatever answers behind it.
import { PluglotError, toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { sentence } from '../../base/sentence.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { lines } from '../../channel/frame/lines.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Backend } from '../../definition/backend.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { AuthorDialect, AuthorServices, Served } from '../author-dialect.ts';
import { AuthorLife } from '../author-life.ts';
import { AuthorSetup } from '../author-setup.ts';
import { backendAnswer } from '../backend-answer.ts';
import { reasonGiven } from '../failure.ts';
import { facetCollision, withFacetTools, type Offer } from '../facet-tools.ts';
import { hostPeer } from '../host-peer.ts';
import { notServed } from '../not-served.ts';
import { Notices } from '../notices.ts';
import { REQUIREMENT_NOT_MET } from './codes.ts';
import { roomFor } from './fitting.ts';
import { readExecute, readInitialize } from './host-requests.ts';
import { LINE_LIMIT } from './line-limit.ts';
import { operationEnd, type OperationEnd } from './operation-end.ts';
import { logNotice, OperationLog } from './operation-log.ts';
import { ownManifest } from './own-manifest.ts';

export const gevalsAuthor: AuthorDialect = { name: 'gevals', serve };

/** Hosts wait for 30 s unless they say otherwise. */
const DEFAULT_TIMEOUT_MS = 29_000;

function serve(pipe: Pipe, backend: Backend, services: AuthorServices): Served {
  const collision = facetCollision(backend);
  if (collision !== undefined) return notServed(collision, backend, services);
  // One after the other, as in every extension: a log has no id, so hosts take it for one of the operation that runs.
  const peer = hostPeer(pipe, lines({ sendLimit: LINE_LIMIT }), services, { handling: 'serial' });
  const notices = new Notices(peer, (count) =>
    logNotice({ level: 'warn', message: `${count} logs were left out: they were not read in time.` }),
  );
  const log = (entry: LogEntry) => notices.send(logNotice(entry));
  const life = new AuthorLife(peer, backend);
  const extension = new Extension(
    withFacetTools(backend),
    new AuthorSetup(backend, services.config),
    peer,
    log,
  );
  peer.handle('initialize', (params, context) => extension.initialize(params, context));
  peer.handle('execute', (params, context) => extension.execute(params, context));
  // Behind what runs and before what came after it, which is never run.
  peer.handle('shutdown', async (_, context) => {
    context.respond({});
    await life.goodbye();
  });
  return { log, over: life.over, close: () => void life.close() };
}

class Extension {
  readonly #offer: Offer;
  readonly #setup: AuthorSetup;
  readonly #peer: Peer;
  readonly #log: (entry: LogEntry) => void;

  constructor(offer: Offer, setup: AuthorSetup, peer: Peer, log: (entry: LogEntry) => void) {
    this.#offer = offer;
    this.#setup = setup;
    this.#peer = peer;
    this.#log = log;
  }

  /** A host may initialize again, with another config. */
  async initialize(params: unknown, { id }: CallContext): Promise<JsonObject> {
    const request = readInitialize(params);
    if ('problem' in request) throw invalidParams(request.problem);
    await this.#setup.hello(request.config).catch(refuseSetup);
    return ownManifest(this.#offer.profile, roomFor(id));
  }

  /** Works without initialize too, as the one-shot mode wants it. */
  async execute(params: unknown, context: CallContext): Promise<OperationEnd> {
    const request = readExecute(params);
    if ('problem' in request) throw invalidParams(request.problem);
    await this.#setup.ready().catch(refuseSetup);
    const { operation: tool, args, context: around, timeoutMs = DEFAULT_TIMEOUT_MS } = request;
    const log = new OperationLog(this.#log);
    const answer = await backendAnswer(
      context,
      (event) => log.event(event),
      (sink) => this.#offer.call({ tool, args, context: around, timeoutMs, dialect: 'gevals' }, sink),
      () => this.#peer.drained(),
    );
    return operationEnd(tool, answer, roomFor(context.id), this.#offer.say);
  }
}

function invalidParams(problem: string): RpcError {
  return new RpcError(standardErrors.invalidParams.code, `Invalid params: ${sentence(problem)}`);
}

function refuseSetup(thrown: unknown): never {
  const error = toError(thrown);
  const code = error instanceof PluglotError ? error.code : undefined;
  const { invalidParams, internalError } = standardErrors;
  throw new RpcError(
    code === 'REQUIREMENT_MISSING'
      ? REQUIREMENT_NOT_MET
      : (code === 'INVALID_ARGUMENTS' ? invalidParams : internalError).code,
    reasonGiven(error.message),
  );
}
