// What of the files that the gate goes by could not be used, or maybe not as meant; for those who only look.
import { userTrustStore } from '../fleet/discovery/discover.ts';
import type { Problem } from '../fleet/discovery/problem.ts';
import { gateSettings } from './gate-settings.ts';
import { permissionsOf } from './permissions.ts';
import type { GateFilesOptions } from './read-entries.ts';

export async function problemsOfGate(options: GateFilesOptions): Promise<readonly Problem[]> {
  const trust = options.trust ?? userTrustStore(options);
  const settings = await gateSettings({ ...options, trust });
  const { problems } = await permissionsOf(settings, { ...options, trust });
  return [...settings.problems, ...problems];
}
