// Plugins of the fleet as what answers behind an author end: so that a plugin of any dialect can be put on a wire in another.
import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/emitter.ts';
import { within } from '../../base/within.ts';
import type { Backend, BackendRequest, RunningCall } from '../../definition/backend.ts';
import type { CallSink } from '../../definition/outcome.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { Plugin } from '../plugin/plugin.ts';
import { configurePlugins } from './configure-plugins.ts';
import { Conversations } from './conversations.ts';
import { exposedTool } from './exposed-tools.ts';
import { extractorOf } from './extractor.ts';
import { healthOf } from './health.ts';
import { optionsFor, passOn, refuse, type Ask } from './pass-on.ts';
import { executorOf, plannerOf, updateContext } from './planning.ts';
import { profileOf, type Identity } from './profile.ts';

export interface BridgeOptions {
  /** What several plugins are called together. */
  readonly together: Identity;
  readonly clock: Clock;
  /** What the host should know and no call is known for. */
  log(entry: LogEntry): void;
}

/** The plugins should have introduced themselves; those that have not are left out until they do. */
export function pluginBackend(plugins: readonly Plugin[], options: BridgeOptions): Backend {
  const conversations = new Conversations();
  const changes = new Emitter<void>();
  const profile = () => profileOf(plugins, options.together);
  const unwatch = watchProfile(plugins, profile, () => changes.emit());
  const ask: Ask = (question, sink) => {
    conversations.leave();
    return passOn(question(), sink);
  };
  return {
    get profile() {
      return profile();
    },
    onProfileChanged: (listener) => changes.add(listener),
    setup: (config) => configurePlugins(plugins, config, (entry) => options.log(entry)),
    call: (request, sink) => call(plugins, conversations, ask, request, sink),
    get talk() {
      return plugins.some(({ abilities }) => abilities.talks) ? conversations : undefined;
    },
    get extractor() {
      return extractorOf(plugins, ask);
    },
    get planner() {
      return plannerOf(plugins, ask);
    },
    get executor() {
      return executorOf(plugins, ask);
    },
    updateContext(update) {
      conversations.leave();
      return updateContext(plugins, update);
    },
    health: () => healthOf(plugins),
    async teardown() {
      unwatch();
      conversations.end();
      await within(Promise.all(plugins.map((plugin) => plugin.stop())), TEARDOWN_MS, options.clock);
    },
  };
}

/** Whoever owns the processes ends what is still there then. */
const TEARDOWN_MS = 4500;

/** A restarted plugin introduces itself anew, mostly as before. */
function watchProfile(plugins: readonly Plugin[], profile: () => unknown, changed: () => void): () => void {
  let before = JSON.stringify(profile());
  const look = () => {
    const now = JSON.stringify(profile());
    if (now === before) return;
    before = now;
    changed();
  };
  const unwatch = plugins.map((plugin) =>
    plugin.onEvent(({ kind }) => {
      if (kind === 'tools-changed') look();
    }),
  );
  return () => {
    for (const end of unwatch) end();
  };
}

function call(
  plugins: readonly Plugin[],
  conversations: Conversations,
  ask: Ask,
  request: BackendRequest,
  sink: CallSink,
): RunningCall {
  const found = exposedTool(plugins, request.tool);
  if ('code' in found) return refuse(found, sink);
  const { plugin, tool } = found;
  if (plugin.abilities.talks) return conversations.begin(plugin, tool, request, sink);
  return ask(() => plugin.call(tool, request.args, optionsFor(plugin, request)), sink);
}
