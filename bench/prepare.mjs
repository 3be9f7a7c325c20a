// What must stand before a measurement: the peers of bench/package.json and the built package.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** @typedef {import('./contenders/index.mjs').Contender} Contender */

const bench = fileURLToPath(new URL('.', import.meta.url));
const root = path.dirname(path.resolve(bench));

/** @param {readonly Contender[]} contenders */
export function prepare(contenders) {
  if (contenders.some((each) => each.installed) && !peersInstalled())
    npm(bench, 'ci', '--no-audit', '--no-fund');
  if (contenders.some((each) => each.kind === 'us' || each.kind === 'endpoint') && !built())
    npm(root, 'run', 'build');
}

/** npm writes down what it installed; every package there must be the one that the lock file names. */
function peersInstalled() {
  const installed = path.join(bench, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  const found = lockedVersions(installed);
  return Object.entries(lockedVersions(path.join(bench, 'package-lock.json'))).every(
    ([name, version]) => name === '' || found[name] === version,
  );
}

/** @param {string} file */
function lockedVersions(file) {
  const { packages } = /** @type {{ packages: Record<string, { version: string, optional?: boolean }> }} */ (
    JSON.parse(readFileSync(file, 'utf8'))
  );
  return Object.fromEntries(
    Object.entries(packages).flatMap(([name, { version, optional }]) => (optional ? [] : [[name, version]])),
  );
}

/** Measuring yesterday's build is worse than none, so a source newer than the build counts as not built. */
function built() {
  const entry = path.join(root, 'dist', 'channel', 'index.js');
  const info = path.join(root, 'dist', '.tsbuildinfo');
  if (!existsSync(entry)) return false;
  const builtAt = statSync(existsSync(info) ? info : entry).mtimeMs;
  const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return sources
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .every((name) => statSync(path.join(root, 'src', name)).mtimeMs <= builtAt);
}

/**
 * npm passes the .npmrc of the root to everything it runs, as npm_config_… The peers are not held to it: one of them wants a newer Node
 * for a part that is not measured.
 */
export function peerEnvironment() {
  const lines = readFileSync(path.join(root, '.npmrc'), 'utf8').split('\n');
  const names = new Set(lines.map((line) => `npm_config_${line.split('=')[0]?.trim().replaceAll('-', '_')}`));
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.has(name.toLowerCase())));
}

/**
 * @param {string} folder
 * @param {string[]} words
 */
function npm(folder, ...words) {
  process.stderr.write(`npm ${words.join(' ')} in ${path.relative(process.cwd(), folder) || '.'}\n`);
  // Its output goes to stderr: stdout may be JSON that someone reads.
  const { status } = spawnSync('npm', words, {
    cwd: folder,
    env: folder === bench ? peerEnvironment() : process.env,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ${words.join(' ')} failed in ${folder}.`);
}
