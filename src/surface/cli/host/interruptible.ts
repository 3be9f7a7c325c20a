// A host whose answers are not awaited any longer once the user has interrupted. Calls and conversations tell themselves how they end.
import { unlessInterrupted } from '../interruption.ts';
import type { Host } from './host.ts';

export function interruptible(host: Host, signal: AbortSignal): Host {
  const unless = <Value>(promise: Promise<Value>) => unlessInterrupted(signal, promise);
  return {
    ...host,
    plugins: () => unless(host.plugins()),
    problems: () => unless(host.problems()),
    tools: (options) => unless(host.tools(options)),
    findTool: (name) => unless(host.findTool(name)),
    inspect: (plugin) => unless(host.inspect(plugin)),
    start: (plugin) => unless(host.start(plugin)),
    stop: (plugin) => unless(host.stop(plugin)),
    restart: (plugin) => unless(host.restart(plugin)),
  };
}
