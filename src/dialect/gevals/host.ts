// The host's side of gevals: introduces itself to an extension and runs its operations.
import type { Clock } from '../../base/clock.ts';
import { shown } from '../../base/shown.ts';
import { within } from '../../base/within.ts';
import type { Ending, Pipe } from '../../channel/bytes/pipe.ts';
import { lines } from '../../channel/frame/lines.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { CallRequest, CallSink } from '../../definition/outcome.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type {
  DialectTraits,
  HostDialect,
  HostEnd,
  HostServices,
  TalkFacet,
  WireCall,
} from '../host-dialect.ts';
import { closePeer, pluginPeer } from '../plugin-peer.ts';
import { talkBy } from '../say-tool.ts';
import { usualLimits } from '../usual-limits.ts';
import { Calls } from './calls.ts';
import { introduce } from './introduce.ts';
import { LINE_LIMIT } from './line-limit.ts';
import { readLog, type Tell } from './schema.ts';

const traits: DialectTraits = {
  limits: usualLimits,
  concurrency: 1,
  timeoutKills: false,
  takesConfig: true,
};

export const gevals: HostDialect = { name: 'gevals', traits, connect };

async function connect(pipe: Pipe, spec: PluginSpec, services: HostServices): Promise<HostEnd> {
  const receiveLimit = spec.limits?.messageBytes ?? traits.limits.messageBytes;
  const peer = pluginPeer(pipe, lines({ sendLimit: LINE_LIMIT, receiveLimit }), spec.name, services);
  const tell: Tell = (reason, got) => services.trouble({ kind: 'invalid', reason, text: shown(got) });
  const calls = new Calls(peer, spec, services, tell);
  // Extensions log whenever they like, also before they have introduced themselves.
  peer.onNotification('log', (params) => {
    const entry = readLog(params, tell);
    if (entry !== undefined) calls.log(entry);
  });
  try {
    const { manifest, isAssumed } = await introduce(peer, spec, services.signal, tell);
    calls.introduced(manifest);
    return new ExtensionEnd(peer, manifest, isAssumed, calls, services.clock);
  } catch (error) {
    closePeer(peer);
    throw error;
  }
}

class ExtensionEnd implements HostEnd {
  readonly manifest: Manifest;
  readonly isAssumed: boolean;
  readonly ended: Promise<Ending>;
  readonly talk?: TalkFacet;
  readonly #peer: Peer;
  readonly #calls: Calls;
  readonly #clock: Clock;

  constructor(peer: Peer, manifest: Manifest, isAssumed: boolean, calls: Calls, clock: Clock) {
    this.#peer = peer;
    this.#calls = calls;
    this.#clock = clock;
    this.manifest = manifest;
    this.isAssumed = isAssumed;
    this.ended = peer.ended;
    const { talk } = talkBy(manifest.tools, (request, sink) => this.call(request, sink));
    if (talk !== undefined) this.talk = talk;
  }

  call(request: CallRequest, sink: CallSink): WireCall {
    return this.#calls.start(request, sink);
  }

  /** Some extensions end without an answer: that they are gone is answer enough. */
  async shutdown(limitMs: number): Promise<void> {
    try {
      await within(this.#peer.open('shutdown', {}).result, limitMs, this.#clock);
    } catch {
      // Refused, or nobody is there any more: in either case it may be ended.
    }
  }

  close(): void {
    closePeer(this.#peer);
  }
}
