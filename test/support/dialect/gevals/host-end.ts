// A gevals host end under test after the handshake with a raw extension.
import { gevals } from '../../../../src/dialect/gevals/host.ts';
import type { WirePort } from '../../../../src/dialect/host-dialect.ts';
import { hostAndRawEnd, type HostOptions, type Told } from '../dialect-host.ts';
import type { RawEnd } from '../../channel/raw-end.ts';

export const plainManifest = {
  name: 'files',
  version: '1.0.0',
  protocolVersion: '0.0.1',
  operations: { apply: { params: { type: 'object' } }, wait: { params: true } },
};

/** The end after its initialize was answered with this manifest. */
export async function introducedTo(
  manifest: unknown,
  options: HostOptions = {},
): Promise<{ end: WirePort; raw: RawEnd; told: Told }> {
  const { raw, connected, told } = hostAndRawEnd(gevals, 'lines', options);
  const { id } = await raw.nextRequest();
  raw.answer(id, manifest);
  return { end: await connected, raw, told };
}
