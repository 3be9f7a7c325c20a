// Every twin against all checks of its dialect: none but its own may complain of it.
import { dialectNames } from '../../src/definition/plugin-spec.ts';
import { testTwins } from '../support/twins.ts';
import { twinOptions } from './twin-options.ts';

for (const dialect of dialectNames) testTwins(dialect, twinOptions[dialect]);
