// The example of the YAMS specification in TypeScript: an extractor of one format. No line of it knows the protocol.
import { definePlugin, extractor, fail, serve } from 'pluglot/sdk';

const plugin = definePlugin({
  name: 'my_extractor',
  version: '1.0.0',
  extractor: extractor({
    formats: ['application/x-myformat'],
    extensions: ['.myformat'],
    async extract({ read }) {
      const { title, text } = parse(await read());
      return { text, metadata: { title } };
    },
  }),
});

/** A title, an empty line and a text. */
function parse(content: Uint8Array): { title: string; text: string } {
  const [title = '', ...paragraphs] = Buffer.from(content).toString('utf8').trim().split('\n\n');
  if (paragraphs.length === 0) fail({ message: 'There is no text below the title.', reason: 'NoText' });
  return { title, text: paragraphs.join('\n\n') };
}

serve(plugin);
