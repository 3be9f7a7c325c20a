import { expect, test } from 'vitest';
import { backendOf } from '../../../test/support/dialect/gassist/author-end.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { gassistManifestFile, toolsOf } from '../../dialect/gassist/manifest.ts';
import { gassistFolder } from './manifest-folders.ts';

test('a manifest.json that was made of a definition is found with the same tools', async () => {
  const { manifest } = backendOf({
    description: 'Knows the sky.',
    tools: {
      get_weather: {
        description: 'Gets the weather.',
        tags: ['weather'],
        input: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
        handler: () => '',
      },
      look: { description: 'Looks up.', handler: () => '' },
    },
  });
  const file = gassistManifestFile(manifest, { executable: 'node plugin.mjs' });
  const folder = temporaryFolder({ 'manifest.json': file, 'plugin.mjs': '' });

  const found = await gassistFolder(folder, 'linux');
  expect(found?.problems).toEqual([]);
  const [candidate] = found?.candidates ?? [];
  expect(candidate?.spec).toMatchObject({
    name: 'my-plugin',
    dialect: 'gassist',
    start: { kind: 'program', command: 'node', args: ['plugin.mjs'], cwd: folder },
  });
  expect(toolsOf([], candidate?.spec.manifest)).toEqual(manifest.tools);
});
