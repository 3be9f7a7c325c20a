import { expect, test } from 'vitest';
import { scriptedBackend } from '../../../test/support/scripted-backend.ts';
import { yamsManifestFile } from './manifest-file.ts';
import { readManifest } from './manifest.ts';

const { profile } = scriptedBackend({
  profile: {
    name: 'my-plugin',
    description: 'For tests.',
    extractor: { formats: ['text/markdown'], extensions: ['.md'] },
    tools: [{ name: 'outline', description: 'Lists headings.', inputSchema: { type: 'object' } }],
  },
});
const command = ['node', '${plugin_dir}/plugin.js'];

test('is the manifest of the handshake and how the plugin is started', () => {
  expect(yamsManifestFile(profile, { command, env: { MODE: 'fast' } })).toEqual({
    name: 'my__plugin',
    version: '1.0.0',
    description: 'For tests.',
    interfaces: ['content_extractor_v1', 'pluglot_tools_v1'],
    capabilities: {
      content_extraction: { formats: ['text/markdown'], extensions: ['.md'] },
      tools: [{ name: 'outline', description: 'Lists headings.', input_schema: { type: 'object' } }],
    },
    entry: { cmd: command, env: { MODE: 'fast' } },
  });
});

test('names programs by system, with the command where there is none', () => {
  const binary = { linux: '${plugin_dir}/plugin', windows: '${plugin_dir}/plugin.exe' };
  expect(yamsManifestFile(profile, { command, binary })['entry']).toEqual({
    binary,
    fallback_cmd: command,
    cmd: command,
  });
});

test('tells a host what the plugin itself would', () => {
  const manifest = yamsManifestFile(profile, { command });
  const spec = { name: 'x', start: { kind: 'program' as const, command: 'x' }, manifest };
  expect(readManifest({}, spec)).toMatchObject({
    name: 'my-plugin',
    version: '1.0.0',
    description: 'For tests.',
    extractor: profile.extractor,
    tools: [...profile.tools, { name: 'extractor.extract' }],
  });
});
