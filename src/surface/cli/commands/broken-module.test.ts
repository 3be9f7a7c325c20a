import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../../../../test/support/surface/in-process-cli.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';

const LACKING = `export const createPlugin = () => ({
  name: 'lacking',
  getFunctionDeclarations: () => [{ name: 'hi', description: 'Says hi' }],
  getExecutors: () => ({}),
});`;

test('who calls or runs what a broken module has hears what is wrong with the module', async () => {
  const at = {
    cwd: temporaryFolder({ 'pluglot.json': { plugins: {} }, 'plugins/lacking.mjs': LACKING }),
    home: temporaryFolder(),
  };
  const trusted = await command(['trust', 'add', path.join('plugins', 'lacking.mjs')], at);
  expect(trusted.stdout).toContain('as they are now:\n  lacking.mjs\n');

  const called = await command(['call', 'hi'], at);
  expect(called.exitCode).toBe(2);
  expect(called.stderr).toMatch(/No plugin has a tool "hi"\. Could not be loaded: lacking \(.*no executor/);
  const ran = await command(['run', 'hi'], at);
  expect(ran.stderr).toMatch(/No plugin has a command "hi"\..* Could not be loaded: lacking \(/);
  const named = await command(['call', 'lacking__hi'], at);
  expect(named.stderr).toMatch(/^✗ Plugin "lacking" makes no plugin: .*\(DEFINITION_INVALID\)/);
});

test('a tool of a built-in plugin that is misspelt is suggested', async () => {
  const at = { cwd: temporaryFolder({ 'plugins/lacking.mjs': LACKING }), home: temporaryFolder() };
  const { stderr } = await command(['call', 'cli_based_too'], at);
  expect(stderr).toContain('No plugin has a tool "cli_based_too". Did you mean "cli__cli_based_tool"?');
});
