// From the program of a plugin to what is handed to hosts: one file that runs alone, and the manifests that are read before it runs.
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { PluglotError, toError } from '../../../base/error.ts';
import type { Profile } from '../../../definition/backend.ts';
import {
  manifestFile,
  manifestFileNames,
  manifestNames,
  windowsLauncher,
  windowsLauncherName,
} from '../../../dialect/manifest-files.ts';
import { bundleEntry } from './bundle-entry.ts';
import type { Rolldown } from './bundler.ts';
import { describeProgram } from './describe-program.ts';

export interface BuildOptions {
  readonly bundler: Rolldown;
  readonly entry: string;
  readonly folder: string;
  readonly out: string;
  readonly clock: Clock;
  /** What the program prints while it is asked what it is. */
  readonly print: (text: string) => void;
}

export interface Built {
  readonly profile: Profile;
  readonly files: readonly BuiltFile[];
  /** Manifests that the plugin cannot have, and why. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

interface BuiltFile {
  readonly path: string;
  readonly bytes: number;
}

/** With this extension it is a module, whatever stands beside it. */
const PROGRAM = 'plugin.mjs';

export async function buildPlugin(options: BuildOptions): Promise<Built> {
  const program = path.join(options.out, PROGRAM);
  if (path.relative(program, options.entry) === '') {
    throw new PluglotError(
      'INVALID_ARGUMENTS',
      `"${path.relative(options.folder, options.entry)}" would be written over by what is built from it. Name another folder with --out.`,
    );
  }
  await fs.mkdir(options.out, { recursive: true });
  const profile = await writeProgram(program, options);
  const manifests = await Promise.all(manifestNames.map((name) => writeManifest(name, profile, options.out)));
  const skipped = manifests.flatMap((manifest) => ('reason' in manifest ? [manifest] : []));
  const launcher = await writeLauncher(
    options.out,
    skipped.every(({ name }) => name !== manifestFileNames.gassist),
  );
  return {
    profile,
    files: [
      await sized(program),
      ...manifests.flatMap((manifest) => ('path' in manifest ? [manifest] : [])),
      ...launcher,
    ],
    skipped,
  };
}

/** Tried out before it takes the place of an earlier one. */
async function writeProgram(program: string, options: BuildOptions): Promise<Profile> {
  const tried = `${program.slice(0, -path.extname(program).length)}-${process.pid}.mjs`;
  try {
    const profile = await bundleAndDescribe(tried, options);
    await fs.rename(tried, program);
    return profile;
  } finally {
    await fs.rm(tried, { force: true });
  }
}

/** A program that serves nothing may export its plugin for others to serve. */
async function bundleAndDescribe(program: string, options: BuildOptions): Promise<Profile> {
  const { clock, print, entry, folder } = options;
  for (const servesDefault of [false, true]) {
    await fs.writeFile(program, await bundleEntry({ ...options, servesDefault }), { mode: 0o755 });
    const profile = await describeProgram(program, { clock, print });
    if (profile !== undefined) return profile;
  }
  throw new PluglotError(
    'INVALID_ARGUMENTS',
    `"${path.relative(folder, entry)}" neither calls serve() nor exports a plugin as default, as in: export default definePlugin({ … })`,
  );
}

async function writeManifest(
  name: (typeof manifestNames)[number],
  profile: Profile,
  out: string,
): Promise<BuiltFile | Built['skipped'][number]> {
  const file = path.join(out, manifestFileNames[name]);
  try {
    const manifest = await manifestFile(name, profile, PROGRAM);
    await fs.writeFile(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
    return await sized(file);
  } catch (thrown) {
    if (!(thrown instanceof PluglotError)) throw thrown;
    // One of an earlier build would tell what no longer holds.
    await fs.rm(file, { force: true });
    return { name: manifestFileNames[name], reason: toError(thrown).message };
  }
}

/** Only the engine of G-Assist needs it. */
async function writeLauncher(out: string, isWanted: boolean): Promise<readonly BuiltFile[]> {
  const file = path.join(out, windowsLauncherName);
  if (!isWanted) {
    await fs.rm(file, { force: true });
    return [];
  }
  await fs.writeFile(file, windowsLauncher(PROGRAM));
  return [await sized(file)];
}

async function sized(file: string): Promise<BuiltFile> {
  return { path: file, bytes: (await fs.stat(file)).size };
}
