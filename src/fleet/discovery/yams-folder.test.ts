// What the SDK writes for YAMS hosts, this host finds: the program, and all that the plugin says of itself.
import { expect, test } from 'vitest';
import { scriptedBackend } from '../../../test/support/definition/scripted-backend.ts';
import { program, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { readManifest, yamsManifestFile, type EntryOptions } from '../../dialect/yams/manifest.ts';
import { yamsFolder } from './manifest-folders.ts';

const { manifest } = scriptedBackend({
  manifest: {
    name: 'many-formats',
    version: '1.2.3',
    description: 'For tests.',
    author: 'The tests',
    extractor: { formats: ['text/plain'], extensions: ['.txt'] },
    tools: [{ name: 'greet', description: 'Greets.', inputSchema: { type: 'object', required: ['name'] } }],
  },
});
const command = ['node', '${plugin_dir}/plugin.js'];
const binary = { linux: '${plugin_dir}/bin/plugin', windows: '${plugin_dir}/plugin.exe' };

async function found(entry: EntryOptions, files: Parameters<typeof temporaryFolder>[0] = {}) {
  const file = yamsManifestFile(manifest, entry);
  const folder = temporaryFolder({ 'yams-plugin.json': file, 'plugin.js': '//', ...files });
  const read = await yamsFolder(folder, 'linux');
  expect(read?.problems).toEqual([]);
  return { folder, file, spec: read?.candidates[0]?.spec };
}

test('a manifest that was made from a plugin is read back as that plugin', async () => {
  const { folder, file, spec } = await found({ command, env: { MODE: 'fast' } });
  expect(spec).toEqual({
    name: 'many-formats',
    dialect: 'yams',
    start: {
      kind: 'program',
      command: 'node',
      args: [`${folder}/plugin.js`],
      cwd: folder,
      folder,
      env: { MODE: 'fast' },
    },
    manifest: file,
  });
  expect(readManifest({}, spec!)).toMatchObject({
    name: 'many-formats',
    version: '1.2.3',
    description: 'For tests.',
    author: 'The tests',
    extractor: manifest.extractor,
    tools: [...manifest.tools, { name: 'extractor.extract' }],
  });
});

test('a program without an interpreter is started where it was built, else the command', async () => {
  const built = await found({ command, binary }, { 'bin/plugin': program() });
  expect(built.spec?.start).toMatchObject({ command: `${built.folder}/bin/plugin` });
  const unbuilt = await found({ command, binary });
  expect(unbuilt.spec?.start).toMatchObject({ command: 'node', args: [`${unbuilt.folder}/plugin.js`] });
});
