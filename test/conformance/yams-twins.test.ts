// The checks of YAMS, each against a plugin that is broken in just that, and against one that is not.
import { testTwins } from '../support/twins.ts';

testTwins('yams', {
  tool: { tool: 'text.repeat', args: { text: 'hello' } },
  companions: {
    // What answers with no manifest has nothing in it.
    'yams:manifest:required': ['name', 'version', 'interfaces', 'description'].map(
      (field) => `yams:manifest:${field}`,
    ),
    // Without an answer to any goodbye there is none to this one.
    'yams:shutdown:required': ['yams:plugin:probe'],
    'fault:unknown-method': ['yams:response:error-example'],
  },
});
