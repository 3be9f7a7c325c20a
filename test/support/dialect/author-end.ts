// An author end under test: served over memory, with a raw host at the other end of the pipe.
import { onTestFinished } from 'vitest';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Observer } from '../../../src/channel/peer/options.ts';
import type { AuthorDialect, AuthorServices, Served } from '../../../src/dialect/author-dialect.ts';
import type { ServedPort } from '../../../src/definition/plugin-port.ts';
import { pipeAndRawEnd, type FramingName, type RawEnd } from '../channel/raw-end.ts';

export interface AuthorOptions {
  readonly clock?: Clock;
  readonly config?: JsonObject;
  readonly debug?: boolean;
  readonly observer?: Observer;
}

/** Both ends are gone when the test is over. */
export function servedToRawHost(
  dialect: AuthorDialect,
  framing: FramingName,
  backend: ServedPort,
  options: AuthorOptions = {},
): { raw: RawEnd; served: Served; printed: string[] } {
  const { pipe, raw } = pipeAndRawEnd(framing);
  const { services, printed } = authorServices(options);
  const served = dialect.serve(pipe, backend, services);
  onTestFinished(() => pipe.destroy());
  return { raw, served, printed };
}

export function authorServices(options: AuthorOptions = {}): { services: AuthorServices; printed: string[] } {
  const printed: string[] = [];
  const services: AuthorServices = {
    clock: options.clock ?? systemClock,
    print: (line) => void printed.push(line),
    ...(options.config === undefined ? {} : { config: options.config }),
    ...(options.debug === undefined ? {} : { debug: options.debug }),
    ...(options.observer === undefined ? {} : { observer: options.observer }),
  };
  return { services, printed };
}

/** Asks, and gives what came up to the answer, which is the last of them. */
export async function ask(raw: RawEnd, id: number | string, method: string, params?: unknown) {
  raw.send({ jsonrpc: '2.0', id, method, params });
  return untilAnswer(raw, id);
}

export interface Heard {
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** What came before it. */
  readonly notifications: readonly unknown[];
}

export async function untilAnswer(raw: RawEnd, id: number | string): Promise<Heard> {
  const notifications: unknown[] = [];
  for (;;) {
    // An author end says nothing but JSON-RPC, which is what the tests are about.
    const message = (await raw.next()) as Heard & { readonly id?: unknown };
    if (message.id === id) {
      const { result, error } = message;
      return { notifications, ...(result && { result }), ...(error && { error }) };
    }
    notifications.push(message);
  }
}
