// The checks of the planner protocol, each against an end that is broken in just that, and against one that is not.
import { testTwins } from './twins.ts';
import { twinOptions } from './twin-options.ts';

testTwins('planner', twinOptions.planner);
