// Runs the official suite against a server or our client, and reads what failed.
import { spawn } from 'node:child_process';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { PluginSpec } from '../../src/definition/plugin-spec.ts';
import { execute, root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = path.join(root, 'test/mcp-conformance/fixture-server.mjs');

/** The fixture server as a plugin. */
export const fixture: PluginSpec = {
  name: 'fixture',
  dialect: 'mcp',
  start: { kind: 'program', command: program, args: [] },
};

/** The fixture server by itself; resolves with its address. */
export function fixtureAlone(): Promise<string> {
  const child = spawn(process.execPath, [program, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('The fixture server has ended.')));
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
  });
}

/**
 * The endpoint with its answers changed in one thing: tools and prompts are listed as the fixture names them, since the suite looks for these
 * names in lists. It calls them by the same names, which the endpoint takes. Resolves with its address.
 */
export async function underOwnNames(endpoint: URL): Promise<string> {
  const named = (text: string) => text.replaceAll(`"name":"${fixture.name}__`, '"name":"');
  const server = http.createServer((request, response) => {
    const { host, origin } = request.headers;
    const isOurs = (text: string | undefined) => text?.endsWith(`:${portOf(server)}`) === true;
    const headers = {
      ...request.headers,
      ...(isOurs(host) && { host: endpoint.host }),
      ...(isOurs(origin) && { origin: endpoint.origin }),
    };
    const { method, url: place } = request;
    const forwarded = http.request(endpoint, { method, path: place, headers }, (answer) => {
      const { 'content-length': _, ...rest } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, rest);
      response.flushHeaders();
      let line = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        const lines = `${line}${text}`.split(/(?<=\n)/);
        line = lines.at(-1)?.endsWith('\n') === true ? '' : (lines.pop() ?? '');
        if (lines.length > 0) response.write(named(lines.join('')));
      });
      answer.on('end', () => response.end(named(line)));
      answer.on('error', () => response.destroy());
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${portOf(server)}${endpoint.pathname}`;
}

function portOf(server: http.Server): number {
  // It listens on a port, not on a socket file.
  return (server.address() as AddressInfo).port;
}

export interface SuiteRun {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly output: string;
}

/** The names of the scenarios that the suite has for clients, without those of extensions. */
export async function clientScenarios(modules: string, node = process.execPath): Promise<string[]> {
  const { stdout } = await execute(node, [suiteIn(modules), 'list', '--client'], { cwd: temporaryFolder() });
  return [...stdout.matchAll(/^ +- (\S+)(?:$| \[(?!extension))/gm)].map(([, name = '']) => name);
}

/** Each scenario in a process of its own, some side by side: all at once would take longer than the suite waits. */
export async function runClient(
  modules: string,
  scenarios: readonly string[],
  node = process.execPath,
): Promise<SuiteRun> {
  const client = `${process.execPath} ${path.join(root, 'test/mcp-conformance/fixture-client.mjs')}`;
  const passed: string[] = [];
  const failed: string[] = [];
  const outputs: string[] = [];
  const waiting = [...scenarios];
  const run = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const args = ['client', '--command', client, '--scenario', name, '--timeout', '120000'];
      const { stdout, stderr } = await execute(node, [suiteIn(modules), ...args], {
        cwd: temporaryFolder(),
        timeoutMs: 180_000,
      });
      const output = `${stdout}\n${stderr}`;
      if (output.includes('OVERALL: PASSED')) passed.push(name);
      else {
        failed.push(name);
        outputs.push(`${name}:\n${output.slice(-1500)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, run));
  return { passed, failed, output: outputs.join('\n') };
}

const SIDE_BY_SIDE = 3;

function suiteIn(modules: string): string {
  return path.join(modules, '@modelcontextprotocol/conformance/dist/index.js');
}

export async function runSuite(
  modules: string,
  url: string,
  options: { readonly args?: readonly string[]; readonly node?: string } = {},
): Promise<SuiteRun> {
  const { args = ['--suite', 'all'], node = process.execPath } = options;
  const { stdout, stderr } = await execute(node, [suiteIn(modules), 'server', '--url', url, ...args], {
    cwd: temporaryFolder(),
    timeoutMs: 300_000,
  });
  const output = `${stdout}\n${stderr}`;
  const [, summary = ''] = output.split('=== SUMMARY ===');
  const named = (mark: string) =>
    [...summary.matchAll(new RegExp(`^${mark} ([\\w.-]+):`, 'gm'))].map(([, name = '']) => name);
  return { passed: named('✓'), failed: named('✗'), output };
}
