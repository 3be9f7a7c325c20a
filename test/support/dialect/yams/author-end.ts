// A plugin of ours under test, and what hosts of YAMS say to it.
import { yamsAuthor } from '../../../../src/dialect/yams/author.ts';
import type { Answer, CallSink } from '../../../../src/definition/outcome.ts';
import type { ServedPort } from '../../../../src/definition/plugin-port.ts';
import { ask, servedToRawHost, type AuthorOptions } from '../author-end.ts';
import { scriptedBackend, type BackendScript } from '../../definition/scripted-backend.ts';

export function servedPlugin(script: BackendScript = {}, options?: AuthorOptions) {
  const backend = scriptedBackend(script);
  return { backend, ...servedToRawHost(yamsAuthor, 'lines', backend, options) };
}

/** One that has been set up. */
export async function initializedPlugin(script: BackendScript = {}, options?: AuthorOptions) {
  const plugin = servedPlugin(script, options);
  await ask(plugin.raw, 'init', 'plugin.init', { config: {} });
  return plugin;
}

type Extractor = NonNullable<ServedPort['extractor']>;
type Extraction = Parameters<Extractor['extract']>;

/** An extractor of Markdown that ends each extraction as the test says, and keeps what was asked. */
export function scriptedExtractor(answer: Answer | ((sink: CallSink) => void)) {
  const extractions: Extraction[] = [];
  const extractor: Extractor = {
    supports: async ({ extension }) => ({
      supported: extension === '.md',
      confidence: 0.5,
      ...(extension === '.md' ? { method: 'markdown' } : {}),
    }),
    extract: (...asked) => {
      extractions.push(asked);
      const [, sink] = asked;
      if (typeof answer === 'function') answer(sink);
      else sink.end(answer);
      return {
        cancel(message) {
          sink.end({ ok: false, error: { code: 'CALL_CANCELLED', message } });
          return 'free';
        },
      };
    },
  };
  const manifest = { extractor: { formats: ['text/markdown'], extensions: ['.md'] } };
  return { script: { extractor, manifest }, extractions };
}

/** What a host hears of an extraction that ends like this. */
export async function extractionOf(answer: Answer, options: unknown = { extension: '.md' }) {
  const { raw } = await initializedPlugin(scriptedExtractor(answer).script);
  return ask(raw, 1, 'extractor.extract', { source: { type: 'path', path: '/tmp/a.md' }, options });
}
