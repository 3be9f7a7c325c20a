// Whether this machine lets processes be kept in a namespace of their own.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createLauncher } from '../../../src/fleet/supervisor/process-launcher.ts';

export async function namespacesWork(): Promise<boolean> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-'));
  const launcher = createLauncher({ env: process.env, stateFolder: folder, containment: 'namespace' });
  try {
    return (await launcher.containment()) === 'namespace';
  } catch {
    return false;
  } finally {
    await launcher.close();
    fs.rmSync(folder, { recursive: true });
  }
}
