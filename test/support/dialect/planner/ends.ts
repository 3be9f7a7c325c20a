// Both ends of the planner protocol under test: the host's against a raw plugin, the author's against a raw host, and one against the other.
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { streamPipe } from '../../../../src/channel/bytes/stream-pipe.ts';
import type { ServedPort } from '../../../../src/definition/plugin-port.ts';
import type { WirePort } from '../../../../src/dialect/host-dialect.ts';
import { plannerAuthor } from '../../../../src/dialect/planner/author.ts';
import { planner } from '../../../../src/dialect/planner/host.ts';
import { authorServices, servedToRawHost, type AuthorOptions } from '../author-end.ts';
import { hostAndRawEnd, recordingServices, type HostOptions, type Told } from '../dialect-host.ts';
import type { RawEnd } from '../../channel/raw-end.ts';
import { scriptedBackend, type BackendScript } from '../../definition/scripted-backend.ts';

export const both = {
  roles: ['planner', 'executor'],
  methods: ['execute_task', 'create_plan', 'validate_code', 'update_context'],
};

/** The host's end after rpc.discover was answered with this. */
export async function discovered(
  discovery: object = both,
  options: HostOptions = {},
): Promise<{ end: WirePort; raw: RawEnd; told: Told }> {
  const { raw, connected, told } = hostAndRawEnd(planner, 'lines', options);
  raw.answer((await raw.nextRequest()).id, discovery);
  return { end: await connected, raw, told };
}

/** The host's end on a plugin that knows the specification alone; its next request has the id 2. */
export async function plain(options: HostOptions = {}): Promise<{ end: WirePort; raw: RawEnd; told: Told }> {
  const { raw, connected, told } = hostAndRawEnd(planner, 'lines', options);
  const { id } = await raw.nextRequest();
  raw.send({ jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id });
  return { end: await connected, raw, told };
}

/** The author's end, with a raw host at the other end of the pipe. */
export function servedPlanner(script: BackendScript, options?: AuthorOptions) {
  const backend = scriptedBackend(script);
  return { backend, ...servedToRawHost(plannerAuthor, 'lines', backend, options) };
}

/** Our host on our author's end. */
export async function hostAndAuthor(
  backend: ServedPort,
  options: { readonly host?: HostOptions; readonly author?: AuthorOptions } = {},
): Promise<{ end: WirePort; told: Told; printed: string[] }> {
  const there = new PassThrough();
  const back = new PassThrough();
  const { services: author, printed } = authorServices(options.author);
  const served = plannerAuthor.serve(streamPipe(there, back), backend, author);
  const { services, told } = recordingServices(options.host);
  const pipe = streamPipe(back, there);
  onTestFinished(async () => {
    pipe.destroy();
    served.close();
    await served.over;
  });
  const spec = {
    name: 'the-plugin',
    start: { kind: 'program', command: 'in-memory' } as const,
    ...options.host?.spec,
  };
  const end = await planner.connect(pipe, spec, services);
  return { end, told, printed };
}
