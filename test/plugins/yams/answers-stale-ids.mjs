// Answers earlier requests once more, and ones that were never made, before it answers the one it has.
import { answer } from '../../support/channel/plain-wire.mjs';
import { serve } from '../../support/dialect/yams/plain-yams.mjs';

await serve({
  'extractor.extract': ({ options }) => {
    const call = Number(options?.['call']);
    for (const id of [1, 2, call - 1, 4711, 'x', null]) answer(id, { success: true, content: 'stale' });
    return { success: true, content: `fresh ${call}` };
  },
});
