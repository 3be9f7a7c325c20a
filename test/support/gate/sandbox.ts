// The sandbox of this machine, for tests.
import os from 'node:os';
import { findSandbox, isSandbox } from '../../../src/gate/sandbox/find-sandbox.ts';
import type { Sandbox } from '../../../src/gate/sandbox/sandbox.ts';

const nothing = { kept: [], hidden: [], hiddenFiles: [] };
const found = await findSandbox({ env: process.env, home: os.homedir(), own: () => nothing });

/** Undefined where this machine has none; tests that need it say that they are skipped. */
export const sandboxHere: Sandbox | undefined = isSandbox(found) ? found : undefined;
