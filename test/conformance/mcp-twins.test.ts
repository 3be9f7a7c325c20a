// The checks of MCP, each against a server that is broken in just that, and against one that is not.
import { testTwins } from '../support/twins.ts';

testTwins('mcp', {
  tool: { tool: 'repeat', args: { text: 'hello' } },
  // A server that ends at a cancellation disappoints whoever cancels.
  companions: { 'fault:cancel': ['mcp:server:cancelled'] },
});
