import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { builtInNames } from './built-in-names.ts';
import { createRuntime } from './create-runtime.ts';

test('the names that are known before anything is loaded are those of all that there are', async () => {
  const home = temporaryFolder();
  const env = { PATH: process.env['PATH'], PLUGLOT_HOME: path.join(home, 'pluglot') };
  const runtime = await createRuntime({ cwd: temporaryFolder(), home, env });
  onTestFinished(() => runtime.close());
  expect(await runtime.registry.discover()).toEqual(builtInNames);
  expect(await runtime.registry.exposeAll()).toEqual([]);
  expect(runtime.registry.listExposed()).toEqual(builtInNames);
});
