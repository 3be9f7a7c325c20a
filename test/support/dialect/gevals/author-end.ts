// An extension of ours under test, and what hosts of gevals say to it.
import { gevalsAuthor } from '../../../../src/dialect/gevals/author.ts';
import type { Answer } from '../../../../src/definition/outcome.ts';
import { ask, servedToRawHost, type AuthorOptions } from '../author-end.ts';
import { scriptedBackend, type BackendScript, type Script } from '../../definition/scripted-backend.ts';

export const context = { workdir: '/task', phase: 'setup' };
export const hello = { protocolVersion: '0.0.1' };

export const ok: Script = (_, sink) => sink.end({ ok: true });

export function servedExtension(script: BackendScript, options?: AuthorOptions) {
  const backend = scriptedBackend(script);
  const { raw, served: extension } = servedToRawHost(gevalsAuthor, 'lines', backend, options);
  return { raw, extension, backend };
}

/** What a host hears of an operation that ends like this. */
export async function answeredWith(answer: Answer) {
  const { raw } = servedExtension({ scripts: { apply: (_, sink) => sink.end(answer) } });
  return ask(raw, 1, 'execute', { operation: 'apply', args: {}, context });
}

export function request(id: number, operation: string) {
  return { jsonrpc: '2.0', id, method: 'execute', params: { operation, args: {}, context } };
}
