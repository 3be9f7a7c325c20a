// Runs the official suite against a server, and reads what failed.
import { spawn } from 'node:child_process';
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

export interface SuiteRun {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly output: string;
}

export async function runSuite(
  modules: string,
  url: string,
  options: { readonly args?: readonly string[]; readonly node?: string } = {},
): Promise<SuiteRun> {
  const { args = ['--suite', 'all'], node = process.execPath } = options;
  const suite = path.join(modules, '@modelcontextprotocol/conformance/dist/index.js');
  const { stdout, stderr } = await execute(node, [suite, 'server', '--url', url, ...args], {
    cwd: temporaryFolder(),
    timeoutMs: 300_000,
  });
  const output = `${stdout}\n${stderr}`;
  const [, summary = ''] = output.split('=== SUMMARY ===');
  const named = (mark: string) =>
    [...summary.matchAll(new RegExp(`^${mark} ([\\w.-]+):`, 'gm'))].map(([, name = '']) => name);
  return { passed: named('✓'), failed: named('✗'), output };
}
