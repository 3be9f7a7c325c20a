// The checks of MCP, each against a server that is broken in just that, and against one that is not.
import { testTwins } from './twins.ts';
import { twinOptions } from './twin-options.ts';

testTwins('mcp', twinOptions.mcp);
