// The checks of gevals, each against an extension that is broken in just that, and against one that is not.
import { testTwins } from './twins.ts';
import { twinOptions } from './twin-options.ts';

testTwins('gevals', twinOptions.gevals);
