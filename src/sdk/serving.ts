// A definition at work for its host, once the wire is held. It is loaded when a program serves: whoever only imports the SDK, to say what a
// plugin is, does not wait for it.
import { systemClock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import { fdPipe } from '../channel/bytes/stream-pipe.ts';
import type { Definition } from '../definition/definition.ts';
import type { DialectName } from '../definition/plugin-spec.ts';
import { runDefinition } from '../definition/run/run-definition.ts';
import type { Surroundings } from '../definition/run/surroundings.ts';
import { answerHost, type Stop } from './answer-host.ts';
import { HostPipe } from './host-pipe.ts';
import { answerInThread } from './isolate/answer-in-thread.ts';
import { IsolatedCalls } from './isolate/isolated-calls.ts';
import type { FromThread } from './isolate/messages.ts';
import type { OwnThread } from './isolate/thread-role.ts';
import type { Prints } from './prints.ts';
import { processSurroundings, type OwnProcess } from './process-surroundings.ts';

export interface Serving {
  readonly definition: Definition;
  readonly prints: Prints;
  readonly own: OwnProcess;
  readonly debug: boolean | undefined;
}

export interface HostServing extends Serving {
  /** The descriptor that leads to the host. */
  readonly wire: number;
  readonly dialect: DialectName | undefined;
  readonly config: JsonObject | undefined;
  readonly lingerMs: number;
  readonly print: (line: string) => void;
  readonly stopped: Promise<Stop>;
  /** The file of this program and its command line; undefined when there is none that a thread could run, as in `node -e`. */
  readonly program: { readonly entry: string; readonly args: readonly string[] } | undefined;
}

/** Gives the exit code of the process. */
export async function serveHost(serving: HostServing): Promise<number> {
  const { definition, prints, program, wire, dialect, config, debug, lingerMs, print, stopped } = serving;
  const isolated =
    program && new IsolatedCalls({ ...program, log: (logged) => prints.log(logged) }, systemClock);
  const exitCode = await answerHost({
    pipe: new HostPipe(fdPipe(0, wire)),
    backend: runDefinition(definition, {
      ...surroundingsOf(serving),
      isolate: isolated && ((request, config, sink) => isolated.call(request, config, sink)),
    }),
    dialect,
    config,
    debug,
    lingerMs,
    clock: systemClock,
    prints,
    print,
    stopped,
  });
  await isolated?.close();
  return exitCode;
}

/** Runs the tools that may block, for the main thread. */
export function serveMainThread(
  serving: Serving,
  port: OwnThread['port'],
  tell: (message: FromThread) => void,
): void {
  answerInThread(runDefinition(serving.definition, surroundingsOf(serving)), port, tell);
}

function surroundingsOf({ definition, prints, own, debug }: Serving): Omit<Surroundings, 'isolate'> {
  return {
    ...processSurroundings(definition.name, own),
    log: (entry) => prints.log(entry),
    flushPrints: () => prints.flush(),
    debug,
  };
}
