// One client on a pipe, of either era: lines of JSON, as MCP has it on stdio.
import type { Pipe } from '../../channel/bytes/pipe.ts';
import { lines } from '../../channel/frame/lines.ts';
import { framedLink } from '../../channel/link/framed-link.ts';
import { RpcError } from '../../channel/message/rpc-error.ts';
import { tolerant } from '../../channel/message/tolerances.ts';
import { RAISE } from '../http/read-body.ts';
import { CLOSING } from './options.ts';
import { refusedParams } from './params.ts';
import type { Serving } from './serving.ts';

/** After the client has closed its side, what it asked is finished, as for `echo … | pluglot serve --stdio`. */
const LINGER_MS = 10_000;
const LEFT = `The input was closed, and this was not over ${LINGER_MS / 1000} s later.`;

export interface PipeSignals {
  /** The endpoint closes: what is under way gets its time. */
  readonly closing: AbortSignal;
  /** The user does not want to wait. */
  readonly interrupted: AbortSignal | undefined;
}

/** Resolves when the client has gone, or a signal fired. */
export async function serveOnPipe(
  serving: Serving,
  pipe: Pipe,
  { closing, interrupted }: PipeSignals,
): Promise<void> {
  const { bodyBytes, json } = serving.limits;
  const link = framedLink(pipe, lines({ receiveLimit: bodyBytes }), { tolerances: tolerant, limits: json });
  const connected = serving.connect({}, serving.nextId(), link, {
    peer: {
      describeOversize: (size, excess = `It has ${size} bytes, and the limit is ${bodyBytes}.`) =>
        `the message is too much for one request. ${excess} ${RAISE}`,
    },
    check(params) {
      const refused = refusedParams(params);
      if (refused !== undefined) throw new RpcError(refused.code, refused.message);
    },
  });
  const { connection, peer } = connected;
  const signal = interrupted === undefined ? closing : AbortSignal.any([closing, interrupted]);
  const fired = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  let callOff = () => {};
  void peer.ended.then(() => {
    callOff = serving.clock.after(LINGER_MS, () => connection.end(LEFT));
  });
  await Promise.race([peer.closed, fired]);
  callOff();
  if (signal.aborted) {
    // A user who interrupts does not wait for calls; their clients get an error.
    const patienceMs = interrupted?.aborted === true ? 0 : serving.limits.closeMs;
    await serving.finish((one) => one === connection, CLOSING, patienceMs);
    await peer.close({ pending: 'answer', timeoutMs: serving.limits.closeMs });
  }
  connected.close();
  await pipe.finish();
}
