// fixture-client.mjs URL: our client under the official suite. It connects, reads all that the server offers, calls each tool once, and leaves.
// MCP_CONFORMANCE_CONTEXT has what the scenario hands out, such as credentials.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { mcp } from '../../dist/dialect/mcp/host.js';
import { fleetAccess } from '../../dist/fleet/access/fleet-access.js';
import { systemClock } from '../../dist/base/clock.js';

const url = process.argv.at(-1) ?? '';
/** @typedef {Record<string, import('../../dist/base/json.js').Json>} Arguments */

const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const given =
  /** @type {{ client_id?: string, client_secret?: string, toolCalls?: { name: string, arguments: Arguments }[] }} */ (
    JSON.parse(context)
  );
// The suite has one document that describes a client, at the address that is its id.
const document = 'https://conformance-test.local/client-metadata.json';
const { client_id: clientId = scenario === 'auth/basic-cimd' ? document : undefined } = given;
const { client_secret: clientSecret } = given;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-conformance-'));

const start = /** @type {const} */ ({
  kind: 'http',
  url,
  oauth: { ...(clientId && { clientId }), ...(clientSecret && { clientSecret }) },
});
const end = await mcp.reach?.(
  start,
  { name: 'suite', dialect: 'mcp', start },
  {
    clock: systemClock,
    signal: new AbortController().signal,
    log: () => {},
    trouble: (trouble) => console.error(trouble),
    toolsChanged: () => {},
    hasCommand: () => false,
    relaysQuestions: true,
    access: fleetAccess({
      folder,
      // The page of the suite says yes at once, and leads back to us.
      openUrl: async (page) => void (await fetch(page)).body?.cancel(),
    }),
  },
);
if (end === undefined) throw new Error('MCP is not reached over HTTP.');
const { tools } = end.manifest;
const calls =
  given.toolCalls ?? tools.map(({ name, inputSchema }) => ({ name, arguments: argumentsFor(inputSchema) }));
for (const { name, arguments: args } of calls) {
  const request = { tool: name, args, timeoutMs: 60_000, asker: { ask } };
  await new Promise((resolve) =>
    end.call(request, {
      event: () => {},
      end(answer) {
        console.error(name, JSON.stringify(answer));
        resolve(undefined);
      },
    }),
  );
}
await end.shutdown(5000);
end.close();
fs.rmSync(folder, { recursive: true });

/** @param {unknown} schema */
function argumentsFor(schema) {
  /** @type {Arguments} */
  const args = {};
  for (const [name, { type }] of fieldsIn(schema))
    if (type === 'number' || type === 'integer') args[name] = 5;
    // A tool that is sent a schema gets that of the first one.
    else args[name] = type === 'object' ? (tools[0]?.inputSchema ?? {}) : 'x';
  return args;
}

/**
 * The user of a client leaves every field as it is proposed.
 * @param {import('../../dist/definition/caller.js').PluginQuestion} question
 * @returns {Promise<import('../../dist/base/json.js').Json>}
 */
async function ask({ kind, params }) {
  if (kind === 'roots') return { roots: [] };
  if (kind === 'sample')
    return { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'none', stopReason: 'endTurn' };
  /** @type {Arguments} */
  const content = {};
  for (const [name, { default: value }] of fieldsIn(params['requestedSchema']))
    if (value !== undefined) content[name] = value;
  return { action: 'accept', content };
}

/**
 * @param {unknown} schema
 * @returns {[string, Record<string, import('../../dist/base/json.js').Json | undefined>][]}
 */
function fieldsIn(schema) {
  // The suite writes schemas of this form.
  const { properties = {} } = /** @type {{ properties?: Record<string, Arguments> }} */ (schema ?? {});
  return Object.entries(properties);
}
