// The checks of G-Assist, each against a plugin that is broken in just that, and against one that is not.
import type { JsonObject } from '../../src/base/json.ts';
import { testTwins } from '../support/twins.ts';

testTwins('gassist', {
  tool: { tool: 'repeat', args: { text: 'hello' } },
  manifest,
  companions: {
    // Nor is an input without a session taken where it does not matter whether there is one.
    'fault:input-without-session': [
      'gassist:input:acknowledged-first',
      'gassist:input:answer-by-notifications',
      'gassist:timeouts:ack',
    ],
    // Without an end there is nothing in it, and nothing that could follow it.
    'gassist:complete:ends': [
      'gassist:author:data-is-text',
      'gassist:author:no-response-to-execute',
      'gassist:complete:data',
      'gassist:complete:keep-session',
      'gassist:complete:success',
      'gassist:input:acknowledged-first',
      'gassist:input:answer-by-notifications',
      'gassist:stream:data',
      'gassist:stream:request-id',
      'gassist:timeouts:ack',
    ],
  },
});

/** What the twin has beside it; without, or with less of, what its check looks for. */
function manifest(breakage: string | undefined): JsonObject {
  const whole: JsonObject = {
    manifestVersion: 1,
    name: 'twin',
    version: '1.0.0',
    protocol_version: '2.0',
    executable: 'node gassist.mjs',
    persistent: true,
    functions: [{ name: 'repeat', description: 'Repeats a text', tags: ['text'] }],
  };
  switch (breakage) {
    case 'gassist:manifest:manifest-version':
      return { ...whole, manifestVersion: 2 };
    case 'gassist:manifest:protocol-version':
      return { ...whole, protocol_version: '1.0' };
    case 'gassist:manifest:functions':
      return { ...whole, functions: [{ name: 'repeat' }] };
    default: {
      const [, , demand = ''] = breakage?.split(':') ?? [];
      return breakage?.startsWith('gassist:manifest:') === true ? { ...whole, [demand]: null } : whole;
    }
  }
}
