// Our own gateway as a process: what `pluglot up` wires, with its gate, audit and counts, around one plugin.
import process from 'node:process';
import { createRuntime, createTokens } from '../../dist/index.js';
import { createEndpoint } from '../../dist/surface/mcp/endpoint.js';
import { createHttpServer } from '../../dist/surface/http/server.js';

const [, , port = '0', program = '', folder = ''] = process.argv;
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit());

const token = 'a-token-of-the-bench-that-is-long-enough';
const env = { PATH: process.env['PATH'], PLUGLOT_HOME: folder };
const runtime = await createRuntime({ cwd: folder, home: folder, env, builtIns: false, traffic: true });
runtime.gate.policy.session.setDefault('allow');
const start = { kind: /** @type {const} */ ('program'), command: process.execPath, args: [program] };
runtime.registry.registerPlugin(runtime.fleet.add({ name: 'echo', dialect: 'mcp', start }));
const [failure] = await runtime.registry.exposeAll();
if (failure !== undefined) throw failure.error;
const tokens = createTokens([{ name: 'load', purpose: 'mcp', secret: token }]);
const endpoint = createEndpoint({ runtime, tokens });
await createHttpServer({
  api: runtime,
  tokens,
  port: Number(port),
  mcp: (request, response) => void endpoint.handleHttp(request, response),
});
