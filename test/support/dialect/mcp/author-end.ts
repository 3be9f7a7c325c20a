// A server of ours under test, and how clients begin.
import { mcpAuthor } from '../../../../src/dialect/mcp/author.ts';
import type { Answer } from '../../../../src/definition/outcome.ts';
import { ask, servedToRawHost, type AuthorOptions } from '../author-end.ts';
import { scriptedBackend, type BackendScript, type Script } from '../../definition/scripted-backend.ts';

export const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'a client', version: '1.0.0' },
};

export const ok: Script = (_, sink) => sink.end({ ok: true, text: 'done' });

export function servedServer(script: BackendScript, options?: AuthorOptions) {
  const backend = scriptedBackend(script);
  const { raw, served: server, printed } = servedToRawHost(mcpAuthor, 'lines', backend, options);
  return { raw, server, backend, printed };
}

/** After the handshake. */
export async function greetedServer(script: BackendScript, options?: AuthorOptions) {
  const served = servedServer(script, options);
  const { result } = await ask(served.raw, 'hello', 'initialize', hello);
  served.raw.notify('notifications/initialized');
  return { ...served, hello: result };
}

/** What a client hears of a call that ends like this. */
export async function answeredWith(answer: Answer, manifest: BackendScript['manifest'] = {}) {
  const { raw } = await greetedServer({ scripts: { act: (_, sink) => sink.end(answer) }, manifest });
  return ask(raw, 1, 'tools/call', { name: 'act', arguments: {} });
}
