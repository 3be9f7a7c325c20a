// The host's end of planners and executors: asks who is there, then asks for plans and work, and gives work to planners that ask for it.
import { shown } from '../../base/shown.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { DialectTraits, HostDialect, HostEnd, HostServices } from '../host-dialect.ts';
import { closePeer, pluginPeer } from '../plugin-peer.ts';
import { talkBy } from '../say-tool.ts';
import { usualLimits } from '../usual-limits.ts';
import { AskedWork, paramsOf, verdictToWire } from './asked-work.ts';
import { Calls } from './calls.ts';
import { facetsOf } from './facets.ts';
import { IncomingStreams, keysIn } from './incoming-streams.ts';
import { introduce, settingsOf, type Introduction } from './introduce.ts';
import { noRequestLog, RequestLog } from './request-log.ts';
import { Retries } from './retries.ts';
import { codeRequest, methods, taskRequest } from './schema.ts';
import { taskResultToWire } from './task-result.ts';
import { PlannerWire, refuseUnauthenticated } from './wire.ts';

const traits: DialectTraits = { limits: usualLimits, concurrency: 64, timeoutKills: false, keysIn };

export const planner: HostDialect = { name: 'planner', traits, connect };

async function connect(pipe: Pipe, spec: PluginSpec, services: HostServices): Promise<HostEnd> {
  const settings = settingsOf(spec);
  const { secret } = settings;
  const messageBytes = spec.limits?.messageBytes ?? traits.limits.messageBytes;
  const wire = new PlannerWire({
    receiveLimit: messageBytes,
    ...(secret === undefined ? {} : { secret }),
    trouble: (reason, text) => services.trouble({ kind: 'invalid', reason, text }),
  });
  const peer = pluginPeer(pipe, wire, spec.name, services);
  refuseUnauthenticated(peer);
  takeWork(peer, services);
  const streams = new IncomingStreams(peer, (reason, got) =>
    services.trouble({ kind: 'invalid', reason, text: shown(got) }),
  );
  try {
    const introduction = await introduce(peer, spec, settings, services.signal);
    wire.takesGzip = introduction.discovery.gzip;
    const { clock } = services;
    const calls = new Calls({
      peer,
      streams,
      clock,
      keptText: messageBytes,
      retries: new Retries({
        retries: settings.retries,
        addsKeys: !introduction.isPlain,
        clock,
        random: Math.random,
      }),
      requests: settings.logsRequests
        ? new RequestLog(clock, (entry) => services.note?.(entry))
        : noRequestLog,
    });
    return hostEnd(peer, spec.name, calls, introduction);
  } catch (error) {
    closePeer(peer);
    throw error;
  }
}

function hostEnd(peer: Peer, plugin: string, calls: Calls, introduction: Introduction): HostEnd {
  const { manifest, isPlain, discovery } = introduction;
  const call: HostEnd['call'] = ({ tool, args }, sink) =>
    calls.start({ plugin, method: tool, form: 'wire', params: args, sink });
  return {
    manifest,
    ...(isPlain ? { isAssumed: true } : {}),
    call,
    ...talkBy(manifest.tools, call),
    ...facetsOf(plugin, discovery, calls),
    // The protocol has no goodbye: the end of its input is what tells the plugin.
    shutdown: () => Promise.resolve(),
    close: () => closePeer(peer),
    ended: peer.ended,
  };
}

/** A planner may hand the tasks of its plan up its own pipe. */
function takeWork(peer: Peer, { clock, executeTask, validateCode }: HostServices): void {
  const work = new AskedWork(peer, { debug: false });
  if (executeTask !== undefined)
    peer.handle(methods.executeTask, async (params, context) => {
      const request = paramsOf(taskRequest, params);
      const startedAt = clock.now();
      const answer = await work.answer(context, (sink) => executeTask(request, sink));
      return taskResultToWire(answer, Math.round(clock.now() - startedAt));
    });
  if (validateCode !== undefined)
    peer.handle(methods.validateCode, async (params, context) => {
      const request = paramsOf(codeRequest, params);
      return verdictToWire(await work.answer(context, (sink) => validateCode(request, sink)));
    });
}
