// Makes a checkout ready: installs when node_modules does not match the lockfile, builds when sources changed.
// Runs before any dependency is installed, so it uses Node alone.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { buildConsole } from './console.mjs';
import { run, stage } from './stage.mjs';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`pluglot needs Node 20.19 or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}

/**
 * Installs and builds what is missing; prints one line per thing done, nothing when nothing was.
 * That goes to stderr: stdout belongs to the command that comes after.
 */
export async function prepare() {
  await install(process.stderr);
  await build(process.stderr);
}

/**
 * Runs `npm ci` unless node_modules already holds what the lockfile says.
 * @param {NodeJS.WriteStream} out
 */
export async function install(out) {
  if (isInstalled()) return;
  await exclusively(async () => {
    if (isInstalled()) return;
    await stage(out, 'install', async () => {
      const args = [...npmPrefix(), 'ci', '--no-audit', '--no-fund', '--loglevel=error'];
      await run(npmCommand(), args, { cwd: root });
      markInstalled();
    });
  });
}

/**
 * Compiles src into dist unless nothing changed since the last time.
 * @param {NodeJS.WriteStream} out
 */
export async function build(out) {
  if (isBuilt()) return;
  await exclusively(async () => {
    if (isBuilt()) return;
    await stage(out, 'build', async () => {
      const fingerprint = sourceFingerprint();
      await run(process.execPath, [bin('@typescript/native/bin/tsc'), '-b', 'tsconfig.build.json'], {
        cwd: root,
      });
      removeStaleOutput();
      await bundle(root);
      await buildConsole(root);
      fs.writeFileSync(buildStamp, fingerprint);
    });
  });
}

/**
 * The path of a program inside node_modules.
 * @param {string} program
 */
export function bin(program) {
  return path.join(root, 'node_modules', program);
}

/** npm as the caller runs it: the same version, without a shell. */
export function npmCommand() {
  return process.env['npm_execpath'] ? process.execPath : 'npm';
}

/** @returns {string[]} */
export function npmPrefix() {
  const program = process.env['npm_execpath'];
  return program ? [program] : [];
}

const lockfile = path.join(root, 'package-lock.json');
const installStamp = path.join(root, 'node_modules/.pluglot-installed');
const buildStamp = path.join(root, 'dist/.sources');

function isInstalled() {
  if (readIfThere(installStamp) === lockDigest()) return true;
  if (!holdsWhatTheLockSays()) return false;
  markInstalled();
  return true;
}

function markInstalled() {
  fs.writeFileSync(installStamp, lockDigest());
}

function lockDigest() {
  return createHash('sha256')
    .update(fs.readFileSync(lockfile))
    .update(`${process.platform} ${process.arch} ${process.versions.modules}`)
    .digest('hex');
}

/**
 * True after an install by hand: npm's own record of node_modules names the versions of the lockfile.
 * Optional packages may be missing, since most are for other platforms.
 */
function holdsWhatTheLockSays() {
  const installed = readIfThere(path.join(root, 'node_modules/.package-lock.json'));
  if (installed === undefined) return false;
  const found = packagesOf(installed);
  return Object.entries(packagesOf(fs.readFileSync(lockfile, 'utf8'))).every(
    ([where, { version, optional }]) => where === '' || optional || found[where]?.version === version,
  );
}

/** @param {string} text */
function packagesOf(text) {
  /** @typedef {{ version?: string, optional?: boolean }} Installed */
  return /** @type {{ packages: Record<string, Installed> }} */ (JSON.parse(text)).packages;
}

function isBuilt() {
  return readIfThere(buildStamp) === sourceFingerprint();
}

/** Names, sizes and times of everything the build reads: cheap to take, and any edit changes it. */
function sourceFingerprint() {
  const hash = createHash('sha256');
  const files = [
    'package-lock.json',
    'scripts/bundle.mjs',
    'scripts/console.mjs',
    'tsconfig.base.json',
    'tsconfig.build.json',
    ...filesUnder('src'),
  ];
  for (const file of files) {
    const { size, mtimeMs } = fs.statSync(path.join(root, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** tsc leaves the output of deleted sources behind; a package must not carry it. */
function removeStaleOutput() {
  const sources = new Set(filesUnder('src').map((file) => file.replace(/^src/, 'dist').replace(/\.ts$/, '')));
  for (const file of filesUnder('dist')) {
    const origin = file.replace(/(\.d)?\.(ts|js)$/, '');
    if (origin !== file && !sources.has(origin)) fs.rmSync(path.join(root, file));
  }
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesUnder(folder) {
  return fs
    .readdirSync(path.join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .sort();
}

/**
 * Two commands started at once in one checkout must not install or build over each other.
 * @param {() => Promise<void>} work
 */
async function exclusively(work) {
  const key = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const lock = path.join(os.tmpdir(), `pluglot-prepare-${key}.lock`);
  while (!takeLock(lock)) await sleep(200);
  try {
    await work();
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

/** @param {string} lock */
function takeLock(lock) {
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (isStale(lock)) fs.rmSync(lock, { force: true });
    return false;
  }
}

/**
 * The owner of a lock is gone, or its number has long gone to someone else.
 * @param {string} lock
 */
function isStale(lock) {
  const lockedAt = fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (Date.now() - lockedAt > 900_000) return true;
  const owner = Number(readIfThere(lock));
  // An empty file is one that its owner is about to fill.
  if (!owner) return false;
  try {
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'EPERM';
  }
}

/** @param {string} file */
function readIfThere(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
