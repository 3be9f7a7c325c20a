import { expect, test } from 'vitest';
import { nameOfCommand } from './own-runtime.ts';

test.each([
  ['node tools/dice.mjs --fast', 'dice'],
  ['node weather/plugin.mjs', 'weather'],
  ['./bin/thing', 'thing'],
  ['npx -y @scope/server-memory@1.2', 'server-memory'],
  ['/usr/bin/npx --yes server-files@latest /data', 'server-files'],
  ['npx', 'npx'],
  ['uvx --from git+https://example.org/x mcp-server-git', 'mcp-server-git'],
  ['uvx mcp-server[extra]==2.0', 'mcp-server'],
  ['pnpm dlx @scope/thing', 'thing'],
  ['pnpm start', 'pnpm'],
  ['bunx thing@1', 'thing'],
  ['docker run -i --rm -e TOKEN -v /a:/b ghcr.io/owner/github-server:v1', 'github-server'],
])('%s is %s', (command, name) => {
  expect(nameOfCommand(command.split(' '))).toBe(name);
});
