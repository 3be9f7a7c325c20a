// What gevals demands of an extension.
import type { Check } from '../../check.ts';
import { gevalsManifestChecks } from './manifest.ts';
import { gevalsCallChecks } from './calls.ts';
import { gevalsEndChecks } from './end.ts';
import { gevalsErrorChecks } from './errors.ts';
import { gevalsRealHostChecks } from './real-hosts.ts';

export const gevalsChecks: readonly Check[] = [
  ...gevalsManifestChecks,
  ...gevalsCallChecks,
  ...gevalsErrorChecks,
  ...gevalsEndChecks,
  ...gevalsRealHostChecks,
];
