// What host ends share: the peer to the plugin, and requests whose answers the host itself reads.
import { PluglotError, type ErrorCode } from '../base/error.ts';
import { sentence, sentences, shortened, shown } from '../base/text.ts';
import type { Pipe } from '../channel/bytes/pipe.ts';
import type { Framing } from '../channel/frame/framing.ts';
import { framedLink } from '../channel/link/framed-link.ts';
import { RpcError } from '../channel/message/rpc-error.ts';
import { tolerant } from '../channel/message/tolerances.ts';
import type { PeerTrouble } from '../channel/peer/options.ts';
import { Peer } from '../channel/peer/peer.ts';
import { RAISE_MESSAGE_BYTES } from './failure.ts';
import type { HostServices } from './host-dialect.ts';

/** Tolerant, since plugins print to stdout. */
export function pluginPeer(
  pipe: Pipe,
  framing: Framing,
  pluginName: string,
  services: HostServices,
  onTrouble: (trouble: PeerTrouble) => void = (trouble) => services.trouble(trouble),
): Peer {
  const peer = new Peer(framedLink(pipe, framing, { tolerances: tolerant }), {
    name: `plugin "${pluginName}"`,
    // Plugins would take an answer to their noise for a message of the host.
    answerInvalid: false,
    clock: services.clock,
    onTrouble,
  });
  if (services.observer !== undefined) peer.observe(services.observer);
  return peer;
}

/** How long the last bytes may take. */
const CLOSE_MS = 500;

/** Fails what is under way with PEER_CLOSED and closes the pipe. */
export function closePeer(peer: Peer): void {
  void peer.close({ pending: 'abort', timeoutMs: CLOSE_MS });
}

/** A request of the host, for error messages. */
export interface HostRequest {
  readonly pluginName: string;
  readonly method: string;
}

export type HostReply = { readonly result: unknown } | { readonly error: RpcError };

/**
 * Rejects when there is no answer, or none that can be read.
 * @throws PluglotError PROTOCOL_VIOLATION, PIPE_ENDED, CALL_TIMEOUT; why the start was given up, else START_FAILED
 */
export async function replyTo(request: HostRequest, answer: Promise<unknown>): Promise<HostReply> {
  try {
    return { result: await answer };
  } catch (error) {
    if (error instanceof RpcError) return { error };
    throw error instanceof PluglotError ? reasonOf(error, request) : error;
  }
}

/** Any answer proves that the plugin is alive: an error too, and one that cannot be read. */
export async function signOfLife(
  peer: Peer,
  request: HostRequest,
  params: unknown,
  timeoutMs: number,
): Promise<void> {
  try {
    await replyTo(request, peer.request(request.method, params, { timeoutMs }));
  } catch (error) {
    if (!(error instanceof PluglotError && error.code === 'PROTOCOL_VIOLATION')) throw error;
  }
}

export function unexpected(request: HostRequest, got: unknown, expected: string): PluglotError {
  return new PluglotError(
    'PROTOCOL_VIOLATION',
    `${answered(request)} with ${shown(got, 200)}; expected ${expected}.`,
  );
}

/** The error came over the wire. */
export function refusal(
  request: HostRequest,
  error: Error & { readonly code: number },
  code: ErrorCode,
  fix = '',
): PluglotError {
  const what = `${answered(request)} with error ${error.code}: ${sentence(shortened(error.message, 1000))}`;
  return new PluglotError(code, sentences(what, fix), { cause: error });
}

/** The start was given up. A reason that is a PluglotError says more than we know here. */
export function givenUp({ pluginName, method }: HostRequest, cause: Error, reason: unknown): PluglotError {
  if (reason instanceof PluglotError) return reason;
  return new PluglotError(
    'START_FAILED',
    `The start of plugin "${pluginName}" was given up before it answered ${method}.`,
    { cause },
  );
}

function reasonOf(error: PluglotError, request: HostRequest): PluglotError {
  switch (error.code) {
    case 'INVALID_RESPONSE':
      return new PluglotError('PROTOCOL_VIOLATION', error.message, { cause: error });
    case 'FRAME_TOO_LARGE':
      return new PluglotError('PROTOCOL_VIOLATION', sentences(error.message, RAISE_MESSAGE_BYTES), {
        cause: error,
      });
    // Only starts have a signal that gives them up.
    case 'CALL_CANCELLED':
      return givenUp(request, error, error.cause);
    default:
      return error;
  }
}

function answered({ pluginName, method }: HostRequest): string {
  return `Plugin "${pluginName}" answered ${method}`;
}
