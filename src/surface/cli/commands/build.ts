// `pluglot build [ENTRY]`: a plugin on the SDK as one file that runs without node_modules, and its manifests.
import { realpathSync, statSync } from 'node:fs';
import fs from 'node:fs/promises';
import { builtinModules, createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Plugin, rolldown, RolldownLog } from 'rolldown';
import { late, within } from '../../../base/async.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { PluglotError, toError } from '../../../base/error.ts';
import { printable, printableMarked } from '../../../base/printable.ts';
import { sentence, shellWord } from '../../../base/text.ts';
import type { Manifest } from '../../../definition/manifest.ts';
import {
  manifestFile,
  manifestFileNames,
  manifestNames,
  windowsLauncher,
  windowsLauncherName,
} from '../../../dialect/manifest-files.ts';
import { describedThread } from '../../../sdk/isolate/thread-role.ts';
import { defineCommand } from '../command.ts';
import { type CommandContext, usageError } from '../context.ts';
import { ExitCode } from '../exit-code.ts';
import { confirm, warn } from '../terminal.ts';

interface BuildFlags {
  readonly out: string;
}

const extensions = ['ts', 'mts', 'mjs', 'js'];

/** A program that serves a plugin of another file is called main. */
const usualEntries = ['main', 'src/main', 'plugin', 'src/plugin', 'index', 'src/index'].flatMap((name) =>
  extensions.map((extension) => `${name}.${extension}`),
);

/** With this extension it is a module, whatever stands beside it. */
const PROGRAM = 'plugin.mjs';

const SERVING = 'pluglot:serving';

/** A program that waits for something else is given up after this. */
const DESCRIBE_MS = 30_000;

export const commands = {
  build: defineCommand<BuildFlags, [entry: string | undefined]>({
    examples: ['pluglot build', 'pluglot build src/plugin.ts --out release'],
    declare: (command) =>
      command
        .argument('[entry]', 'File that calls serve() or exports the plugin (default: main, plugin or index)')
        .option('--out <folder>', 'Output folder', 'dist'),
    run: build,
  }),
};

async function build(
  context: CommandContext,
  flags: BuildFlags,
  entry: string | undefined,
): Promise<ExitCode> {
  const { cwd, err, json, out } = context;
  const file = findEntry(cwd, entry);
  const bundler = await loadBundler(cwd);
  err.progress(`Building ${path.relative(cwd, file)} …`);
  const built = await buildPlugin({
    bundler,
    entry: file,
    folder: cwd,
    out: path.resolve(cwd, flags.out),
    clock: systemClock,
    print: (text) => err.text(printable(text)),
  });
  if (json) {
    const { manifest, files, skipped } = built;
    out.line(JSON.stringify({ name: manifest.name, version: manifest.version, entry: file, files, skipped }));
  } else show(context, built);
  return ExitCode.ok;
}

function show({ cwd, out, err }: CommandContext, { manifest, files, skipped }: Built): void {
  const { dim } = out.colours;
  const names = files.map((file) => path.relative(cwd, file.path));
  const width = Math.max(...names.map((name) => name.length));
  for (const [index, { bytes }] of files.entries())
    confirm(out, `${(names[index] ?? '').padEnd(width)}  ${dim(`${Math.ceil(bytes / 1024)} KiB`)}`);
  for (const { name, reason } of skipped) warn(err, `There is no ${name}: ${printableMarked(reason)}`);
  const [program = ''] = names;
  out.line(
    `${printable(manifest.name)} ${printable(manifest.version)} runs alone, without node_modules. Try it: pluglot inspect -- node ${shellWord(program)}`,
  );
}

export interface BuildOptions {
  readonly bundler: Rolldown;
  readonly entry: string;
  readonly folder: string;
  readonly out: string;
  readonly clock: Clock;
  /** What the program prints while it is asked what it is. */
  readonly print: (text: string) => void;
}

interface Built {
  readonly manifest: Manifest;
  readonly files: readonly BuiltFile[];
  /** Manifests that the plugin cannot have, and why. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

interface BuiltFile {
  readonly path: string;
  readonly bytes: number;
}

async function buildPlugin(options: BuildOptions): Promise<Built> {
  const program = path.join(options.out, PROGRAM);
  if (path.relative(program, options.entry) === '') {
    throw usageError(
      `"${path.relative(options.folder, options.entry)}" would be written over by what is built from it. Name another folder with --out.`,
    );
  }
  await fs.mkdir(options.out, { recursive: true });
  const manifest = await writeProgram(program, options);
  const manifests = await Promise.all(
    manifestNames.map((name) => writeManifest(name, manifest, options.out)),
  );
  const skipped = manifests.flatMap((manifest) => ('reason' in manifest ? [manifest] : []));
  const launcher = await writeLauncher(
    options.out,
    skipped.every(({ name }) => name !== manifestFileNames.gassist),
  );
  return {
    manifest,
    files: [
      await sized(program),
      ...manifests.flatMap((manifest) => ('path' in manifest ? [manifest] : [])),
      ...launcher,
    ],
    skipped,
  };
}

/** Tried out before it takes the place of an earlier one. */
async function writeProgram(program: string, options: BuildOptions): Promise<Manifest> {
  const tried = `${program.slice(0, -path.extname(program).length)}-${process.pid}.mjs`;
  try {
    const manifest = await bundleAndDescribe(tried, options);
    await fs.rename(tried, program);
    return manifest;
  } finally {
    await fs.rm(tried, { force: true });
  }
}

/** A program that serves nothing may export its plugin for others to serve. */
async function bundleAndDescribe(program: string, options: BuildOptions): Promise<Manifest> {
  const { clock, print, entry, folder } = options;
  for (const servesDefault of [false, true]) {
    await fs.writeFile(program, await bundleEntry({ ...options, servesDefault }), { mode: 0o755 });
    const manifest = await describeProgram(program, { clock, print });
    if (manifest !== undefined) return manifest;
  }
  throw usageError(
    `"${path.relative(folder, entry)}" neither calls serve() nor exports a plugin as default, as in: export default definePlugin({ … })`,
  );
}

async function writeManifest(
  name: (typeof manifestNames)[number],
  manifest: Manifest,
  out: string,
): Promise<BuiltFile | Built['skipped'][number]> {
  const file = path.join(out, manifestFileNames[name]);
  try {
    const content = await manifestFile(name, manifest, PROGRAM);
    await fs.writeFile(file, `${JSON.stringify(content, undefined, 2)}\n`);
    return await sized(file);
  } catch (thrown) {
    if (!(thrown instanceof PluglotError)) throw thrown;
    // The file of an earlier build is outdated.
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

interface BundleOptions {
  readonly bundler: Rolldown;
  /** The absolute path of a JavaScript or TypeScript file. */
  readonly entry: string;
  /** The folder of the project. */
  readonly folder: string;
  /** The entry only exports its plugin as default: the bundle serves it. */
  readonly servesDefault: boolean;
}

/**
 * Its code, with a shebang as its first line.
 * @throws PluglotError TOOL_FAILED with the message of the bundler
 */
async function bundleEntry({ bundler, entry, folder, servesDefault }: BundleOptions): Promise<string> {
  const problems: string[] = [];
  try {
    const bundle = await bundler.rolldown({
      input: servesDefault ? SERVING : entry,
      cwd: folder,
      platform: 'node',
      external: [/^node:/, ...builtinModules],
      plugins: [servingEntry(entry), ownSdk()],
      // It would reveal paths of this machine.
      experimental: { attachDebugInfo: 'none' },
      onLog: (_level, log) => {
        if (isProblem(log)) problems.push(log.message);
      },
    });
    const { output } = await bundle.generate({
      codeSplitting: false,
      comments: { legal: true, annotation: false, jsdoc: false },
    });
    await bundle.close();
    if (problems.length > 0) throw new Error(problems.join('\n'));
    return withShebang(output[0].code);
  } catch (thrown) {
    // The bundler may colour its messages.
    const message = stripVTControlCharacters(toError(thrown).message).trim();
    const name = path.relative(folder, entry);
    throw new PluglotError('TOOL_FAILED', `"${name}" cannot be made into one file: ${message}`, {
      cause: thrown,
    });
  }
}

/** Left out of the bundle, it would be missing where the bundle runs. */
function isProblem({ code }: RolldownLog): boolean {
  return code === 'UNRESOLVED_IMPORT';
}

function servingEntry(entry: string): Plugin {
  const code = `
    import * as entry from ${JSON.stringify(entry)};
    import { serve } from 'pluglot/sdk';
    if (entry.default !== undefined) serve(entry.default);
  `;
  return {
    name: 'pluglot-serving',
    resolveId: (source) => (source === SERVING ? `\0${SERVING}` : null),
    load: (id) => (id === `\0${SERVING}` ? code : null),
  };
}

/** A plugin that is built by `npx pluglot` has no pluglot of its own; then it gets this one. */
function ownSdk(): Plugin {
  return {
    name: 'pluglot-sdk',
    async resolveId(source, importer) {
      if (source !== 'pluglot/sdk') return null;
      const found = await this.resolve(source, importer, { skipSelf: true });
      return found ?? fileURLToPath(new URL('../../../sdk/index.js', import.meta.url));
    },
  };
}

function withShebang(code: string): string {
  return `#!/usr/bin/env node\n${code.replace(/^#!.*\n/, '')}`;
}

/**
 * Undefined when the program ends without having served anything.
 * @throws PluglotError START_FAILED when it throws or takes too long
 */
async function describeProgram(
  file: string,
  { clock, print }: { readonly clock: Clock; readonly print: (text: string) => void },
): Promise<Manifest | undefined> {
  const worker = new Worker(file, { workerData: describedThread, stdout: true, stderr: true });
  for (const stream of [worker.stdout, worker.stderr])
    stream.on('data', (chunk: Buffer) => print(String(chunk)));
  const described = new Promise<Manifest | undefined>((resolve, reject) => {
    // Our own SDK in the thread sends nothing else.
    worker.once('message', (manifest: Manifest) => resolve(manifest));
    worker.once('error', (thrown) => reject(toError(thrown)));
    worker.once('exit', () => resolve(undefined));
  });
  try {
    const manifest = await within(described, DESCRIBE_MS, clock);
    if (manifest !== late) return manifest;
    throw new Error(`it neither called serve() nor ended within ${DESCRIBE_MS / 1000} s`);
  } catch (cause) {
    const message = `The plugin cannot be asked what it is: ${sentence(toError(cause).message)}`;
    throw new PluglotError('START_FAILED', message, { cause });
  } finally {
    await worker.terminate();
  }
}

/** @throws PluglotError INVALID_ARGUMENTS when there is none, UNSUPPORTED when it is not JavaScript */
function findEntry(folder: string, given: string | undefined): string {
  const candidates = given === undefined ? usualEntries : [given];
  const found = candidates.map((name) => path.resolve(folder, name)).find(isFile);
  const isPython = given === undefined ? isFile(path.resolve(folder, 'plugin.py')) : given.endsWith('.py');
  if (isPython && (found === undefined || given !== undefined))
    throw new PluglotError(
      'UNSUPPORTED',
      'Only plugins in JavaScript or TypeScript are bundled. A plugin in Python runs as it is: copy its folder to where a host looks for plugins.',
    );
  if (found !== undefined) return realpathSync(found);
  throw usageError(
    given === undefined
      ? `There is no plugin here: looked for main, plugin and index (${extensions.map((one) => `.${one}`).join(', ')}), also in src. Name the file that calls serve(), as in: pluglot build my-plugin.ts`
      : `"${given}" is not a file. Name the file that calls serve() or exports the plugin as default.`,
  );
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** What we use of it. */
export interface Rolldown {
  readonly rolldown: typeof rolldown;
}

/** @throws PluglotError REQUIREMENT_MISSING */
async function loadBundler(folder: string): Promise<Rolldown> {
  try {
    return await importFrom(folder);
  } catch (cause) {
    throw new PluglotError(
      'REQUIREMENT_MISSING',
      'Building a plugin needs the bundler rolldown, and it is not installed here. Install it: npm install --save-dev rolldown',
      { cause },
    );
  }
}

/** The project's own; else the one beside pluglot. */
async function importFrom(folder: string): Promise<Rolldown> {
  const resolve = createRequire(path.join(folder, 'package.json')).resolve;
  let file: string | undefined;
  try {
    file = resolve('rolldown');
  } catch {
    // Not in the project.
  }
  return (await import(file === undefined ? 'rolldown' : pathToFileURL(file).href)) as Rolldown;
}
