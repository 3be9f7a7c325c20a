// The options of the twins of each dialect, for the tests and for the soak.
import type { JsonObject } from '../../src/base/json.ts';
import type { DialectName } from '../../src/definition/plugin-spec.ts';
import type { TwinOptions } from './twins.ts';

export const twinOptions: Readonly<Record<DialectName, TwinOptions>> = {
  gassist: {
    tool: { tool: 'repeat', args: { text: 'hello' } },
    slowTool: { tool: 'repeat', args: { text: 'slowly' } },
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
  },
  gevals: {
    tool: { tool: 'repeat', args: { text: 'hello' } },
    slowTool: { tool: 'repeat', args: { text: 'slowly' } },
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
  },
  mcp: {
    tool: { tool: 'repeat', args: { text: 'hello' } },
    slowTool: { tool: 'repeat', args: { text: 'slowly' } },
    // A server that ends at a cancellation fails every check that cancels.
    companions: { 'fault:cancel': ['mcp:server:cancelled'] },
  },
  planner: {
    tool: { tool: 'execute_task', args: { task_type: 'analysis', prompt: 'Say what this is.' } },
    slowTool: { tool: 'execute_task', args: { task_type: 'analysis', prompt: 'Say it slowly.' } },
    // The protocol has a number for what the fault only wants to be answered.
    // A tool is a method there: one that leaves unknown methods unanswered does so with unknown tools.
    companions: { 'fault:unknown-method': ['planner:errors:method-not-found', 'fault:unknown-tool'] },
  },
  yams: {
    tool: { tool: 'text.repeat', args: { text: 'hello' } },
    slowTool: { tool: 'text.repeat', args: { text: 'slowly' } },
    companions: {
      // What answers with no manifest has nothing in it.
      'yams:manifest:required': ['name', 'version', 'interfaces', 'description'].map(
        (field) => `yams:manifest:${field}`,
      ),
      // Without an answer to any shutdown request there is none to this one.
      'yams:shutdown:required': ['yams:plugin:probe'],
      // As with planners.
      'fault:unknown-method': ['yams:response:error-example', 'fault:unknown-tool'],
    },
  },
};

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
