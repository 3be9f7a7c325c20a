// The MCP endpoint of `pluglot up` while it stops, and while its files change.
import { expect, test } from 'vitest';
import { fixture } from '../support/command-line.ts';
import { mcpClient, servedUp } from '../support/running-up.ts';

const gassist = (program: string) => ({
  command: process.execPath,
  args: [fixture(`gassist/${program}.mjs`)],
  dialect: 'gassist',
});
const plugins = { slow: gassist('never-completes'), talker: gassist('well-behaved') };
const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;

test('calls under way when it is stopped are answered, in both eras', async () => {
  const { up, ...served } = await servedUp({ plugins });
  const clients = [await mcpClient(served), await mcpClient(served, '', modern)];
  const heard: (() => void)[] = [];
  const begun = clients.map(() => new Promise<void>((resolve) => heard.push(resolve)));
  const called = clients.map((client, at) =>
    client.callTool({ name: 'work' }, { onprogress: () => heard[at]?.() }),
  );
  await begun[0];
  up.child.kill('SIGINT');
  for (const result of await Promise.all(called)) {
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('The host is shutting down.');
  }
  expect(await up.ended).toBe(130);
});
