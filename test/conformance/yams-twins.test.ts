// The checks of YAMS, each against a plugin that is broken in just that, and against one that is not.
import { testTwins } from './twins.ts';
import { twinOptions } from './twin-options.ts';

testTwins('yams', twinOptions.yams);
