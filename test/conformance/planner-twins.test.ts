// The checks of the planner protocol, each against an end that is broken in just that, and against one that is not.
import { testTwins } from '../support/twins.ts';

testTwins('planner', {
  tool: { tool: 'execute_task', args: { task_type: 'analysis', prompt: 'Say what this is.' } },
  // The protocol has a number for what the fault only wants to be answered.
  companions: { 'fault:unknown-method': ['planner:errors:method-not-found'] },
});
