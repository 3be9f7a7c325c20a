// The host's end of G-Assist V2: JSON-RPC 2.0 in length-prefixed frames, whose calls end by notifications.
import { PluglotError } from '../../base/error.ts';
import { sentence } from '../../base/sentence.ts';
import { describeEnding, type Pipe } from '../../channel/bytes/pipe.ts';
import { lengthPrefix } from '../../channel/frame/length-prefix.ts';
import type { PeerTrouble } from '../../channel/peer/options.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { CallRequest } from '../../definition/outcome.ts';
import type { PluginLimits, PluginSpec } from '../../definition/plugin-spec.ts';
import type { DialectTraits, HostDialect, HostEnd, HostServices } from '../host-dialect.ts';
import { closePeer, pluginPeer } from '../plugin-peer.ts';
import { signOfLife } from '../reply.ts';
import { usualLimits } from '../usual-limits.ts';
import { introduce } from './handshake.ts';
import { checkVersion, v1Watcher } from './migration.ts';
import { endLost, hearNotifications } from './notifications.ts';
import { OpenCalls } from './open-calls.ts';
import { keysIn, MESSAGE_BYTES, type ExecuteParams, type PingParams } from './schema.ts';

const traits: DialectTraits = {
  limits: { ...usualLimits, pingEveryMs: 2000, messageBytes: MESSAGE_BYTES },
  // Official SDKs have one thread.
  concurrency: 1,
  timeoutKills: true,
  keysIn,
};

export const gassist: HostDialect = { name: 'gassist', traits, connect };

async function connect(pipe: Pipe, spec: PluginSpec, services: HostServices): Promise<HostEnd> {
  const onTrouble: ((trouble: PeerTrouble) => void)[] = [(trouble) => services.trouble(trouble)];
  try {
    checkVersion(spec.name, spec.manifest?.['protocol_version'], 'manifest.json');
  } catch (error) {
    pipe.destroy();
    throw error;
  }
  const limits: Required<PluginLimits> = { ...traits.limits, ...spec.limits };
  const framing = lengthPrefix({ receiveLimit: limits.messageBytes, sendLimit: MESSAGE_BYTES });
  const peer = pluginPeer(pipe, framing, spec.name, services, (trouble) => {
    for (const listener of onTrouble) listener(trouble);
  });
  const calls = new OpenCalls(peer, {
    pluginName: spec.name,
    clock: services.clock,
    ackMs: limits.ackMs,
    keptText: limits.messageBytes,
    warn: (message) => services.log({ level: 'warn', message }),
    trouble: (trouble) => services.trouble(trouble),
  });
  onTrouble.push((trouble) => endLost(trouble, calls, spec.name));
  hearNotifications(peer, calls, services);
  void peer.ended.then((ending) =>
    calls.failAll(
      new PluglotError(
        'PIPE_ENDED',
        `The pipe to plugin "${spec.name}" is over: ${sentence(describeEnding(ending))}`,
      ),
    ),
  );
  const v1 = new Promise<void>((resolve) => {
    const watch = v1Watcher(resolve);
    onTrouble.push((trouble) => trouble.kind === 'noise' && watch(trouble.text));
  });
  try {
    const manifest = await introduce(peer, spec, { signal: services.signal, v1 });
    onTrouble.pop();
    return hostEnd(peer, calls, manifest, spec.name);
  } catch (error) {
    closePeer(peer);
    throw error;
  }
}

function hostEnd(peer: Peer, calls: OpenCalls, manifest: Manifest, name: string): HostEnd {
  return {
    manifest,
    call: (request, sink) => calls.execute(executeParams(request), sink),
    ping: (limitMs) => signOfLife(peer, { pluginName: name, method: 'ping' }, timestamp(), limitMs),
    // Offered always: what the plugin says of its capabilities does not tell whether it will keep a session.
    talk: { input: (content, sink) => calls.input({ content, ...timestamp() }, sink) },
    shutdown: async () => sayShutdown(peer),
    close: () => {
      closePeer(peer);
      calls.failAll(
        new PluglotError('PEER_CLOSED', `The connection to plugin "${name}" was closed by this end.`),
      );
    },
    ended: peer.ended,
  };
}

function executeParams({ tool, args, context }: CallRequest): ExecuteParams {
  if (context === undefined) return { function: tool, arguments: args };
  const { conversation, systemInfo } = context;
  return {
    function: tool,
    arguments: args,
    ...(conversation !== undefined && { context: conversation }),
    ...(systemInfo !== undefined && { system_info: systemInfo }),
  };
}

function timestamp(): PingParams {
  return { timestamp: Math.floor(Date.now() / 1000) };
}

/** No answer is expected: the plugin exits, and whoever ends its process sees to that. */
function sayShutdown(peer: Peer): void {
  try {
    peer.notify('shutdown', {});
  } catch {
    // It does not read or is gone: then it is ended without a goodbye.
  }
}
