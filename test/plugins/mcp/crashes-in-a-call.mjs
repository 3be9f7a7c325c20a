import { serve } from './plain-server.mjs';

serve({
  'tools/call'() {
    console.error('segmentation fault, so to speak');
    process.exit(139);
  },
});
