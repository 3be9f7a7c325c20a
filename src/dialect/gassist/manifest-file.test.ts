import { expect, test } from 'vitest';
import { backendOf } from '../../../test/support/gassist-plugin.ts';
import { gassistManifestFile } from './manifest-file.ts';
import { toolsOf } from './tools.ts';

const schema = {
  type: 'object',
  properties: { location: { type: 'string', description: 'Where' }, days: { type: 'integer', default: 1 } },
  required: ['location'],
  additionalProperties: false,
};
const tools = {
  get_weather: { description: 'Gets the weather.', tags: ['weather'], input: schema, handler: () => '' },
  ping_sky: { description: 'Looks up.', handler: () => '' },
};

// requirement: gassist:manifest:example, gassist:manifest:manifest-version, gassist:manifest:name, gassist:manifest:version
// requirement: gassist:manifest:protocol-version, gassist:manifest:executable, gassist:manifest:functions
test('has what the specification shows, and the parameters in both styles', () => {
  const { profile } = backendOf({ description: 'Knows the sky.', tools });
  expect(gassistManifestFile(profile, { executable: './plugin.exe' })).toEqual({
    manifestVersion: 1,
    name: 'my-plugin',
    version: '1.0.0',
    description: 'Knows the sky.',
    protocol_version: '2.0',
    executable: './plugin.exe',
    persistent: true,
    functions: [
      {
        name: 'get_weather',
        description: 'Gets the weather.',
        tags: ['weather'],
        properties: schema.properties,
        required: ['location'],
        parameters: schema,
      },
      {
        name: 'ping_sky',
        description: 'Looks up.',
        tags: [],
        properties: {},
        required: [],
        parameters: { type: 'object' },
      },
    ],
  });
});

test('says that a plugin takes part in conversations, and whether it stays', () => {
  const { profile } = backendOf({ onInput: () => '' });
  expect(gassistManifestFile(profile, { executable: 'plugin.py', persistent: false })).toMatchObject({
    passthrough: true,
    persistent: false,
    functions: [],
  });
});

test('what the plugin can beside its tools are functions, as in its introduction', () => {
  const executor = { executeTask: () => 'done', validateCode: () => ({ valid: true, findings: [] }) };
  const { profile } = backendOf({ executor });
  expect(gassistManifestFile(profile, { executable: 'x' })).toMatchObject({
    functions: [{ name: 'execute_task' }, { name: 'validate_code' }],
  });
});

test('is read back to the same tools', () => {
  const { profile } = backendOf({ tools });
  expect(toolsOf([], gassistManifestFile(profile, { executable: 'x' }))).toEqual(profile.tools);
});

test('a tool that says nothing of itself still has words', () => {
  const profile = {
    ...backendOf().profile,
    tools: [
      { name: 'a', title: 'The A' },
      { name: 'b', inputSchema: true },
    ],
  };
  expect(gassistManifestFile(profile, { executable: 'x' })['functions']).toEqual([
    { name: 'a', description: 'The A', tags: [] },
    { name: 'b', description: 'b', tags: [] },
  ]);
});

test.each(['on_input', 'rise_up'])('a tool cannot be called %s', (name) => {
  const { profile } = backendOf({ tools: { [name]: { handler: () => '' } } });
  expect(() => gassistManifestFile(profile, { executable: 'x' })).toThrow(
    expect.objectContaining({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('Rename it.') as unknown,
    }),
  );
});
