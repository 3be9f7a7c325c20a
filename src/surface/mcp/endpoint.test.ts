import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { gateWorld } from '../../../test/support/gate/gate.ts';
import { testRegistry } from '../../../test/support/fleet/registry.ts';
import { createEndpoint } from './endpoint.ts';

test('a client that comes while it cannot be set up is told so, and the next one is served', async () => {
  const { registry } = testRegistry();
  let isBroken = true;
  const flaky = {
    ...registry,
    onChanged(listener: Parameters<typeof registry.onChanged>[0]) {
      if (isBroken) throw new Error('Not now.');
      return registry.onChanged(listener);
    },
  };
  const logged: string[] = [];
  const endpoint = createEndpoint({
    runtime: { registry: flaky, gate: gateWorld().gate },
    log: ({ level, message }) => void logged.push(`${level}: ${message}`),
  });
  const server = createServer((request, response) => void endpoint.handleHttp(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await endpoint.close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  const status = async () => (await fetch(`http://127.0.0.1:${port}/mcp`)).status;
  expect(await status()).toBe(500);
  expect(await endpoint.useProfiles({})).toEqual([]);
  expect(logged).toEqual(['error: An MCP client could not be served: Not now.']);
  isBroken = false;
  // It has no session.
  expect(await status()).toBe(400);
});
