// Installs the nested package when a test needs it; without a network the test is left out, with a word. It goes where no other tool
// looks for sources or tests.
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { execute, root } from '../support/project.ts';

const INSTALL_MS = 240_000;
const LOCK = 'package-lock.json';

/** The folder of its modules. */
export async function installed(
  context: { skip(why?: string): never },
  name: 'mcp-conformance' | 'mcp-conformance/newest',
): Promise<string> {
  const from = path.join(root, 'test', name);
  const to = path.join(root, 'node_modules/.cache/pluglot', name.replace('/', '-'));
  const modules = path.join(to, 'node_modules');
  const isThere =
    existsSync(path.join(modules, '.package-lock.json')) && same(path.join(from, LOCK), path.join(to, LOCK));
  if (isThere) return modules;
  mkdirSync(to, { recursive: true });
  for (const file of ['package.json', LOCK]) copyFileSync(path.join(from, file), path.join(to, file));
  const { exitCode, stderr } = await execute(
    'npm',
    ['ci', '--no-audit', '--no-fund', '--prefer-offline', '--engine-strict=false'],
    {
      cwd: to,
      timeoutMs: INSTALL_MS,
    },
  );
  if (exitCode !== 0)
    context.skip(
      `The tools of ${from} cannot be installed here, so this is not tested: ${stderr.slice(-500)}`,
    );
  return modules;
}

function same(one: string, other: string): boolean {
  return existsSync(other) && readFileSync(one, 'utf8') === readFileSync(other, 'utf8');
}
