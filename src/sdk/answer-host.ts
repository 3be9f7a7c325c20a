// A plugin from the first byte of its host to the exit code: finds the dialect, serves, and ends in order whatever happens.
import type { Clock } from '../base/clock.ts';
import { deferred, within } from '../base/async.ts';
import type { JsonObject } from '../base/json.ts';
import type { Observer } from '../channel/peer/options.ts';
import type { ServedPort } from '../definition/plugin-port.ts';
import type { DialectName } from '../definition/plugin-spec.ts';
import type { AuthorDialect, Served } from '../dialect/author-dialect.ts';
import { authorDialects } from '../dialect/authors.ts';
import type { HostPipe } from './host-pipe.ts';
import type { Prints } from './prints.ts';
import { recognise } from './recognise.ts';

export interface HostAnswering {
  readonly pipe: HostPipe;
  readonly backend: ServedPort;
  /** Undefined: recognised. */
  readonly dialect?: DialectName | undefined;
  readonly config?: JsonObject | undefined;
  readonly debug?: boolean | undefined;
  /** Sees every message on the wire. */
  readonly observer?: Observer | undefined;
  readonly lingerMs: number;
  readonly clock: Clock;
  readonly prints: Prints;
  /** For people who look at stderr. */
  readonly print: (line: string) => void;
  /** Resolves when the process gets a signal to end, or cannot go on. */
  readonly stopped: Promise<Stop>;
}

export interface Stop {
  readonly isStop: true;
  readonly exitCode: number;
  /** An uncaught error. */
  readonly error?: Error;
}

/** How long the end may take: taking the plugin down has 5 s of its own. */
const END_MS = 6000;

/** Answers the host until it is over; gives the exit code of the process. Never rejects. */
export async function answerHost(answering: HostAnswering): Promise<number> {
  const { pipe, backend, clock, stopped } = answering;
  const author = await Promise.race([authorOf(answering), stopped]);
  if ('exitCode' in author) {
    await within(backend.teardown(), END_MS, clock);
    return author.exitCode;
  }
  const served = serveIn(author, answering);
  const end = await Promise.race([served.over, stopped, hostIsGone(answering)]);
  if ('isStop' in end) await endFromHere(answering, served, end);
  await within(pipe.finish(), END_MS, clock);
  return end.exitCode;
}

async function authorOf({ pipe, print, dialect }: HostAnswering): Promise<AuthorDialect | Stop> {
  const name = dialect ?? (await recognise(pipe, { print }));
  // The host ended without a message: there is nothing to do, and nothing went wrong.
  if (name === undefined) return { isStop: true, exitCode: 0 };
  const load = authorDialects[name];
  if (load !== undefined) return load();
  print(
    `The host speaks ${name}, which this plugin cannot: it can ${Object.keys(authorDialects).join(', ')}.`,
  );
  return { isStop: true, exitCode: 2 };
}

function serveIn(author: AuthorDialect, answering: HostAnswering): Served {
  const { pipe, backend, clock, config, debug, observer, prints, print } = answering;
  const served = author.serve(pipe, backend, {
    clock,
    print,
    ...(config === undefined ? {} : { config }),
    ...(debug === undefined ? {} : { debug }),
    ...(observer === undefined ? {} : { observer }),
  });
  prints.handTo({
    log: (entry) => served.log(entry),
    hasRoom: () => pipe.hasRoom,
    drained: () => pipe.drained(),
  });
  return served;
}

/**
 * Resolves when the host is gone: its reading end is closed, or it has ended its input and for a while nothing was
 * written to it. A host that only closed its input, as `echo … | plugin` does, gets all answers.
 */
async function hostIsGone({ pipe, clock, lingerMs }: HostAnswering): Promise<Stop> {
  const gone = deferred<Stop>();
  void pipe.unwritable().then(() => gone.resolve({ isStop: true, exitCode: 0 }));
  void pipe.ended.then(() => {
    const look = (writes: number) =>
      clock.after(lingerMs, () => {
        if (pipe.writes !== writes) look(pipe.writes);
        else gone.resolve({ isStop: true, exitCode: 1 });
      });
    look(pipe.writes);
  });
  return gone.promise;
}

/** First the backend: it ends what runs, and the answers to that still go out. */
async function endFromHere({ backend, clock }: HostAnswering, served: Served, stop: Stop): Promise<void> {
  const { error } = stop;
  const what = 'The plugin ends after an uncaught error';
  if (error !== undefined)
    served.log({ level: 'error', message: `${what}: ${error.stack ?? error.message}` });
  const why = error && ({ code: 'INTERNAL', message: `${what}: ${error.message}` } as const);
  await within(backend.teardown(why), END_MS, clock);
  served.close();
  await within(served.over, END_MS, clock);
}
