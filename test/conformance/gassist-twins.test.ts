// The checks of G-Assist, each against a plugin that is broken in just that, and against one that is not.
import { testTwins } from './twins.ts';
import { twinOptions } from './twin-options.ts';

testTwins('gassist', twinOptions.gassist);
