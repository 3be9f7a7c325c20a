// A host whose answers are not awaited any longer once the user has interrupted. Calls and conversations tell themselves how they end.
import { unlessInterrupted } from '../interruption.ts';
import type { Host } from './host.ts';

export function interruptible(host: Host, signal: AbortSignal): Host {
  const unless = <Value>(promise: Promise<Value>) => unlessInterrupted(signal, promise);
  return {
    ...host,
    plugins: (options) => unless(host.plugins(options)),
    problems: () => unless(host.problems()),
    tools: (options) => unless(host.tools(options)),
    findTool: (name) => unless(host.findTool(name)),
    commands: (options) => unless(host.commands(options)),
    findCommand: (name) => unless(host.findCommand(name)),
    complete: (...asked) => unless(host.complete(...asked)),
    inspect: (plugin) => unless(host.inspect(plugin)),
    start: (plugin) => unless(host.start(plugin)),
    stop: (plugin) => unless(host.stop(plugin)),
    restart: (plugin) => unless(host.restart(plugin)),
  };
}
