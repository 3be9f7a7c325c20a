// Sends every answer in pieces of three bytes, characters cut.
import { setImmediate } from 'node:timers/promises';
import { frame } from '../../support/channel/plain-wire.mjs';
import { serve, silence } from '../../support/dialect/yams/plain-yams.mjs';

await serve({
  'extractor.extract': async ({ options }) => {
    const bytes = frame({
      jsonrpc: '2.0',
      id: options?.['id'],
      result: { success: true, content: 'süße Tröpfchen 💧' },
    });
    for (let at = 0; at < bytes.length; at += 3) {
      process.stdout.write(bytes.subarray(at, at + 3));
      await setImmediate();
    }
    return silence;
  },
});
