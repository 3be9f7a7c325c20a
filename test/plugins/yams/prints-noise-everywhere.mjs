// Prints before, between and after its answers: words, JSON that is no JSON-RPC, blank lines, bytes that are no UTF-8.
import { serve } from '../../support/dialect/yams/plain-yams.mjs';

function chatter() {
  process.stdout.write('loading…\n\n{"progress":50}\n123\nnull\n["a"]\n{"id":\n');
  process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]));
}

chatter();
await serve({
  'plugin.init': () => {
    chatter();
    return { status: 'initialized' };
  },
  'extractor.extract': () => {
    chatter();
    setImmediate(chatter);
    return { success: true, content: 'text' };
  },
});
