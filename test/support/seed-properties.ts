// Before every test file: the properties draw their values from the seed of the run.
import fc from 'fast-check';
import { seed } from './seed.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seed() });
