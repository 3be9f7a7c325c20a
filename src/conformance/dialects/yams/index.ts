// What YAMS demands of a plugin.
import type { Check } from '../../check.ts';
import { yamsErrorChecks } from './errors.ts';
import { yamsExtractorChecks } from './extractor.ts';
import { yamsLifecycleChecks } from './lifecycle.ts';
import { yamsManifestChecks } from './manifest.ts';

export const yamsChecks: readonly Check[] = [
  ...yamsManifestChecks,
  ...yamsLifecycleChecks,
  ...yamsExtractorChecks,
  ...yamsErrorChecks,
];
