// What G-Assist V2 demands of a plugin, and what its official hosts need beyond that.
import type { Check } from '../../check.ts';
import { gassistCallChecks } from './calls.ts';
import { gassistEndChecks } from './end.ts';
import { gassistErrorChecks } from './errors.ts';
import { gassistInputChecks } from './input.ts';
import { gassistIntroductionChecks } from './introduction.ts';
import { gassistManifestChecks } from './manifest.ts';
import { gassistPingChecks } from './ping.ts';

export const gassistChecks: readonly Check[] = [
  ...gassistManifestChecks,
  ...gassistIntroductionChecks,
  ...gassistPingChecks,
  ...gassistCallChecks,
  ...gassistErrorChecks,
  ...gassistInputChecks,
  ...gassistEndChecks,
];
