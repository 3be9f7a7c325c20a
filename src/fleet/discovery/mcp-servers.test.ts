import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { mcpJson, mcpServer } from './mcp-json.ts';

test('what a server needs for its authorisation is read, and what others write there is left', () => {
  const oauth = {
    clientId: 'me',
    clientSecret: '${SECRET}',
    callbackPort: 8765,
    issuer: 'https://as',
    scope: 'a b',
  };
  expect(
    mcpServer({ type: 'http', url: 'https://x', oauth: { ...oauth, authServerMetadataUrl: 7 } }),
  ).toEqual({
    ok: true,
    entry: { dialect: 'mcp', url: 'https://x', oauth },
  });
  expect(mcpServer({ url: 'https://x', oauth: {} })).toEqual({
    ok: true,
    entry: { dialect: 'mcp', url: 'https://x' },
  });
});

test.each([7, [], { clientId: 7 }, { callbackPort: '8765' }, { callbackPort: 0 }, { callbackPort: 65_536 }])(
  'an authorisation of %j is refused',
  (oauth) => {
    expect(mcpServer({ url: 'https://x', oauth })).toMatchObject({
      ok: false,
      reason: '"oauth" is not an object of settings',
    });
  },
);

test('its variables are replaced', async () => {
  const folder = temporaryFolder({
    '.mcp.json': {
      mcpServers: {
        a: { url: 'https://x', oauth: { clientId: 'me', clientSecret: '${SECRET}', callbackPort: 1 } },
      },
    },
  });
  const { candidates } = await mcpJson(`${folder}/.mcp.json`, {
    home: folder,
    env: { SECRET: 's3' },
    own: true,
  });
  expect(candidates[0]?.spec.start).toEqual({
    kind: 'http',
    url: 'https://x',
    oauth: { clientId: 'me', clientSecret: 's3', callbackPort: 1 },
  });
});
