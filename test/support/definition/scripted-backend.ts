// A backend that does as a test says and keeps all that was asked of it.
import type { ServedPort, SetupResult } from '../../../src/definition/plugin-port.ts';
import type { Manifest } from '../../../src/definition/manifest.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Answer, CallRequest, CallSink } from '../../../src/definition/outcome.ts';

/** Ends the call by the sink, at once or later; what it returns is called at a cancellation. */
export type Script = (request: CallRequest, sink: CallSink) => ((reason: string) => void) | void;

export interface BackendScript extends Omit<Partial<ServedPort>, 'manifest' | 'setup' | 'call' | 'commands'> {
  readonly manifest?: Partial<Manifest>;
  /** By the names of tools; without one a call of a tool in the manifest answers "done". */
  readonly scripts?: Readonly<Record<string, Script>>;
  readonly setup?: (config: JsonObject) => SetupResult | void | Promise<SetupResult | void>;
  readonly commands?: Readonly<Record<string, Script>>;
  readonly complete?: (command: string, parameter: string, typed: string) => readonly string[];
}

export interface ScriptedBackend extends ServedPort {
  readonly requests: CallRequest[];
  readonly setups: JsonObject[];
  /** Reasons of calls that were given up. */
  readonly cancelled: string[];
  readonly tornDown: () => number;
  changeManifest(change: Partial<Manifest>): void;
}

export function scriptedBackend(script: BackendScript = {}): ScriptedBackend {
  const { manifest: about, scripts = {}, setup, commands, complete, ...facets } = script;
  const requests: CallRequest[] = [];
  const setups: JsonObject[] = [];
  const cancelled: string[] = [];
  const listeners = new Set<() => void>();
  let teardowns = 0;
  let manifest: Manifest = {
    name: 'scripted',
    version: '1.0.0',
    dialect: 'in-process',
    tools: Object.keys(scripts).map((name) => ({ name })),
    raw: null,
    ...about,
  };

  function run(known: Readonly<Record<string, Script>>, request: CallRequest, sink: CallSink) {
    requests.push(request);
    let isOver = false;
    const end = (answer: Answer) => {
      if (isOver) return;
      isOver = true;
      sink.end(answer);
    };
    const whenCancelled = Object.hasOwn(known, request.tool)
      ? known[request.tool]?.(request, { event: (event) => sink.event(event), end })
      : end(manifest.tools.some(({ name }) => name === request.tool) ? done : unknown(request.tool));
    return {
      cancel(reason: string) {
        if (isOver) return 'free' as const;
        cancelled.push(reason);
        whenCancelled?.(reason);
        end({ ok: false, error: { code: 'CALL_CANCELLED', message: reason } });
        return 'free' as const;
      },
    };
  }

  return {
    get manifest() {
      return manifest;
    },
    onManifestChanged(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    setup: async (config) => {
      setups.push(config);
      return (await setup?.(config)) ?? {};
    },
    call: (request, sink) => run(scripts, request, sink),
    ...(commands === undefined
      ? {}
      : {
          commands: {
            run: (request: CallRequest, sink: CallSink) => run(commands, request, sink),
            complete: async (command: string, parameter: string, typed: string) =>
              complete?.(command, parameter, typed) ?? [],
          },
        }),
    health: async () => ({ status: 'ok' }),
    teardown: async () => void (teardowns += 1),
    ...facets,
    requests,
    setups,
    cancelled,
    tornDown: () => teardowns,
    changeManifest(change) {
      manifest = { ...manifest, ...change };
      for (const listener of listeners) listener();
    },
  };
}

const done: Answer = { ok: true, text: 'done' };

function unknown(tool: string): Answer {
  return { ok: false, error: { code: 'UNKNOWN_TOOL', message: `There is no tool "${tool}".` } };
}

/** A script whose calls a test ends by hand, each in its turn. */
export function heldCalls(): { readonly script: Script; next(): Promise<CallSink> } {
  const calls: CallSink[] = [];
  let wake = () => {};
  return {
    script: (_, sink) => {
      calls.push(sink);
      wake();
    },
    async next() {
      for (;;) {
        const call = calls.shift();
        if (call !== undefined) return call;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
