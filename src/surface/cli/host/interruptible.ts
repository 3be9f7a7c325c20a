// A host whose answers are not awaited any longer once the user has interrupted. Calls and conversations tell themselves how they end.
import { unlessInterrupted } from '../interruption.ts';
import type { Host } from './host.ts';

export function interruptible(host: Host, signal: AbortSignal): Host {
  const unless = <Value>(promise: Promise<Value>) => unlessInterrupted(signal, promise);
  return {
    ...host,
    plugins: (options) => unless(host.plugins(options)),
    plugin: (...asked) => unless(host.plugin(...asked)),
    tools: (options) => unless(host.tools(options)),
    tool: (name) => unless(host.tool(name)),
    explain: (...asked) => unless(host.explain(...asked)),
    commands: (options) => unless(host.commands(options)),
    command: (name) => unless(host.command(name)),
    complete: (...asked) => unless(host.complete(...asked)),
    start: (plugin) => unless(host.start(plugin)),
    stop: (plugin) => unless(host.stop(plugin)),
    restart: (plugin) => unless(host.restart(plugin)),
  };
}
