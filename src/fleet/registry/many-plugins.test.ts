// A thousand plugins and ten thousand tools; what that costs is measured by the bench.
import { expect, test } from 'vitest';
import { pluginOf, testRegistry } from '../../../test/support/fleet/registry.ts';

const PLUGINS = 1000;
const TOOLS = 10;

test('a thousand plugins, ten thousand tools', async () => {
  const { registry } = testRegistry();
  for (let plugin = 0; plugin < PLUGINS; plugin++) {
    const tools = Array.from({ length: TOOLS - 1 }, (_, tool) => `tool_${plugin}_${tool}`);
    // One name that all of them want.
    registry.registerPlugin(pluginOf(`plugin${plugin}`, ...tools, 'search'));
  }
  expect(await registry.exposeAll()).toEqual([]);
  const names = registry.getExposedDeclarations().map(({ name }) => name);
  expect(new Set(names).size).toBe(PLUGINS * TOOLS);
  expect(names.filter((name) => registry.resolveTool(name) === undefined)).toEqual([]);

  await registry.unexposeTool('plugin500');
  expect(registry.getExposedDeclarations()).toHaveLength((PLUGINS - 1) * TOOLS);
  expect(registry.resolveTool('plugin500__search')).toBeUndefined();
  await registry.exposeTool('plugin500');
  expect(registry.resolveTool('plugin500__search')?.plugin).toBe('plugin500');
});
