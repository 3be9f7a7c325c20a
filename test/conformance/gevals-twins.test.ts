// The checks of gevals, each against an extension that is broken in just that, and against one that is not.
import { testTwins } from '../support/twins.ts';

testTwins('gevals', {
  tool: { tool: 'repeat', args: { text: 'hello' } },
  comparesFaults: true,
  companions: {
    // Without a result there is nothing in it, whatever was asked.
    'gevals:lifecycle:result-each': [
      'gevals:extension:ids',
      'gevals:extension:real-context',
      'gevals:result:message',
      'gevals:result:outputs',
      'gevals:result:success',
    ],
  },
});
