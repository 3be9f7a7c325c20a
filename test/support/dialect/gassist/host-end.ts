// The host end of G-Assist in memory, past its handshake, and the raw end that plays the plugin.
import type { Json } from '../../../../src/base/json.ts';
import { gassist } from '../../../../src/dialect/gassist/host.ts';
import type { WirePort } from '../../../../src/dialect/host-dialect.ts';
import { hostAndRawEnd, type HostOptions, type Told } from '../dialect-host.ts';
import type { RawEnd } from '../../channel/raw-end.ts';

export interface ConnectedEnd {
  readonly raw: RawEnd;
  readonly end: WirePort;
  readonly told: Told;
  /** When this resolves, the host end has handled all that the raw end sent before. */
  readonly allHandled: () => Promise<void>;
}

export async function connectedEnd(
  result: Json = { name: 'my-plugin', version: '1.0.0' },
  options?: HostOptions,
): Promise<ConnectedEnd> {
  const { raw, connected, told } = hostAndRawEnd(gassist, 'length-prefix', options);
  const { id } = await raw.nextRequest();
  raw.answer(id, result);
  const end = await connected;
  const allHandled = async () => {
    const pong = end.ping?.(60_000);
    const ping = await raw.nextRequest();
    raw.answer(ping.id, {});
    await pong;
  };
  return { raw, end, told, allHandled };
}
