// Where the audit log of this user and project is.
import { gateSettings } from './gate-settings.ts';
import type { GateFilesOptions } from './read-entries.ts';

export async function auditFolder(options: GateFilesOptions): Promise<string> {
  return (await gateSettings(options)).auditFolder;
}
