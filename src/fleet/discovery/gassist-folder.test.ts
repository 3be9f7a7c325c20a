import { expect, test } from 'vitest';
import { backendOf } from '../../../test/support/gassist-plugin.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { gassistManifestFile } from '../../dialect/gassist/manifest-file.ts';
import { toolsOf } from '../../dialect/gassist/tools.ts';
import { gassistFolder } from './gassist-folder.ts';

test('a manifest.json that was made of a definition is found with the same tools', async () => {
  const { profile } = backendOf({
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
  const manifest = gassistManifestFile(profile, { executable: 'node plugin.mjs' });
  const folder = temporaryFolder({ 'manifest.json': manifest, 'plugin.mjs': '' });

  const found = await gassistFolder(folder, 'linux');
  expect(found?.problems).toEqual([]);
  const [candidate] = found?.candidates ?? [];
  expect(candidate?.spec).toMatchObject({
    name: 'my-plugin',
    dialect: 'gassist',
    start: { kind: 'program', command: 'node', args: ['plugin.mjs'], cwd: folder },
  });
  expect(toolsOf([], candidate?.spec.manifest)).toEqual(profile.tools);
});
