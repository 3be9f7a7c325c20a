// The author's side of gevals: an extension on the wire, whatever answers behind it.
import { PluglotError, toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { sentence } from '../../base/text.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { lines } from '../../channel/frame/lines.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { CallContext } from '../../channel/peer/call-context.ts';
import type { ServedPort } from '../../definition/plugin-port.ts';
import type { CallEvent } from '../../definition/outcome.ts';
import type { LogEntry } from '../../definition/tool.ts';
import { AuthorLife, AuthorSetup, backendAnswer, hostPeer, notServed } from '../author-base.ts';
import type { AuthorDialect, AuthorServices, Served } from '../author-dialect.ts';
import { facetCollision, withFacetTools } from '../facet-tools.ts';
import { reasonGiven } from '../failure.ts';
import { DroppingSender } from '../sender.ts';
import { logNotification, ownManifest, resultOf, type ExecuteResult } from './author-messages.ts';
import { REQUIREMENT_NOT_MET } from './codes.ts';
import { LINE_LIMIT, roomFor } from './line-limit.ts';
import { readExecute, readInitialize } from './schema.ts';

export const gevalsAuthor: AuthorDialect = { name: 'gevals', serve };

/** Hosts wait for 30 s unless they name another limit. */
const DEFAULT_TIMEOUT_MS = 29_000;

function serve(pipe: Pipe, backend: ServedPort, services: AuthorServices): Served {
  const collision = facetCollision(backend);
  if (collision !== undefined) return notServed(collision, backend, services);
  // One after the other, as in every extension: a log has no id, so hosts attribute it to the operation that runs.
  const peer = hostPeer(pipe, lines({ sendLimit: LINE_LIMIT }), services, { handling: 'serial' });
  const sender = new DroppingSender(peer, (count) =>
    logNotification({ level: 'warn', message: `${count} logs were left out: they were not read in time.` }),
  );
  const log = (entry: LogEntry) => sender.send(logNotification(entry));
  const life = new AuthorLife(peer, backend);
  const setup = new AuthorSetup(backend, services.config);
  const offer = withFacetTools(backend);

  /** A host may initialize again, with another config. */
  async function initialize(params: unknown, { id }: CallContext): Promise<JsonObject> {
    const request = readInitialize(params);
    if ('problem' in request) throw invalidParams(request.problem);
    await setup.handshake(request.config).catch(refuseSetup);
    return ownManifest(offer.manifest, roomFor(id));
  }

  /** Works without initialize too, as the one-shot mode wants it. */
  async function execute(params: unknown, context: CallContext): Promise<ExecuteResult> {
    const request = readExecute(params);
    if ('problem' in request) throw invalidParams(request.problem);
    await setup.ready().catch(refuseSetup);
    const { operation: tool, args, context: callerContext, timeoutMs = DEFAULT_TIMEOUT_MS } = request;
    const operationLog = new OperationLog(log);
    const answer = await backendAnswer(
      context,
      (event) => operationLog.event(event),
      (sink) => offer.call({ tool, args, context: callerContext, timeoutMs, dialect: 'gevals' }, sink),
      () => peer.drained(),
    );
    return resultOf(tool, answer, roomFor(context.id), offer.say);
  }

  peer.handle('initialize', initialize);
  peer.handle('execute', execute);
  // Answered after what runs; requests that came after it are never run.
  peer.handle('shutdown', async (_, context) => {
    context.respond({});
    await life.goodbye();
  });
  return { log, over: life.over, close: () => void life.close() };
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

/** How much of a line that does not end is held back. */
const LINE_MAX = 16_384;

/**
 * The events of one operation, as logs. Streamed text is logged by whole lines; an unfinished last line is not, since the message of
 * the result has all of the text.
 */
class OperationLog {
  readonly #log: (entry: LogEntry) => void;
  #unfinished = '';

  constructor(log: (entry: LogEntry) => void) {
    this.#log = log;
  }

  event(event: CallEvent): void {
    switch (event.kind) {
      case 'text':
        return this.#text(event.text);
      case 'log': {
        const { level, message, data } = event;
        return this.#log({ level, message, ...(data !== undefined && { data }) });
      }
      case 'progress': {
        const { progress, total, message = 'Progress' } = event;
        const data = { progress, ...(total !== undefined && { total }) };
        return this.#log({ level: 'info', message, data });
      }
    }
  }

  #text(text: string): void {
    this.#unfinished += text;
    const end = this.#unfinished.lastIndexOf('\n');
    const isLong = this.#unfinished.length - end > LINE_MAX;
    const cut = isLong ? this.#unfinished.length : end;
    if (cut === -1) return;
    const message = this.#unfinished.slice(0, cut);
    this.#unfinished = this.#unfinished.slice(isLong ? cut : cut + 1);
    if (message.trim() !== '') this.#log({ level: 'info', message });
  }
}
