// Joins the modules that are loaded together into a few files: Node takes longer to find a hundred small modules than to read a few large
// ones. Each module keeps its path, as a file that re-exports it, so that every importer gets the same classes.
import fs from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';

/**
 * What is loaded at once, by the modules it begins with. A module is joined with others of the first start that loads it; one that
 * commands share with hosts is in the file `shared`, so that a host does not load the code of commands.
 */
const starts = {
  help: ['surface/cli/help'],
  command: ['surface/cli/program', 'surface/cli/commands/call'],
  connect: ['runtime/connect/connect-runtime'],
  runtime: ['surface/cli/own-runtime', 'runtime/create-runtime'],
  wired: [
    'runtime/wire',
    'runtime/project',
    'runtime/lifecycle',
    'runtime/views/local-runtime',
    'plugins/mcp/server-host',
  ],
  mcp: ['dialect/mcp/host', 'dialect/mcp/end'],
  schemas: ['dialect/schema-engine'],
  dialects: ['gassist', 'gevals', 'planner', 'yams'].map((name) => `dialect/${name}/host`),
};

/** Starts of hosts, which load nothing of the first ones. */
const hosts = ['runtime', 'wired'];

/** Packages that are joined too: many small files that are not ES modules take several milliseconds to load. */
const joinedPackages = ['ajv', 'ajv-formats', 'commander', 'jsonc-parser', 'picocolors'];

/** Where the joined files are, except those of the SDK. */
const FOLDER = 'loaded';

/** @typedef {{ readonly imports: readonly string[], readonly all: readonly string[] }} Imports static ones, and with those that are loaded later */
/** @typedef {(id: string) => string | undefined} FileOf the joined file of a module; undefined for one that stays by itself */

/** @param {string} root the folder of the project, already compiled */
export async function bundle(root) {
  const dist = path.join(root, 'dist');
  // The files that are written here have to be compiled anew the next time, also where this fails half-way.
  fs.rmSync(path.join(dist, '.tsbuildinfo'), { force: true });
  // It is installed by now, but was not when this file was read.
  const { rolldown } = await import('rolldown');
  const entries = entriesIn(dist);
  /** @type {import('rolldown').InputOptions} */
  const options = {
    cwd: root,
    platform: 'node',
    resolve: { mainFields: ['module', 'main'] },
    preserveEntrySignatures: 'allow-extension',
    checks: { pluginTimings: false },
  };
  /** @type {Map<string, Imports>} */
  const graph = new Map();
  const parsed = await rolldown({
    ...options,
    input: entries,
    external: isLeftOut,
    plugins: [
      {
        name: 'graph',
        moduleParsed({ id, importedIds, dynamicallyImportedIds }) {
          graph.set(id, { imports: importedIds, all: [...importedIds, ...dynamicallyImportedIds] });
        },
      },
    ],
  });
  await parsed.generate();
  await parsed.close();
  const fileOf = filesByModule(dist, graph);
  // The command itself stays where it is, and imports the joined files.
  const isWritten = (/** @type {string} */ id) =>
    fileOf(id) !== undefined || id === entries['surface/cli/main'];
  const joined = await rolldown({
    ...options,
    input: Object.fromEntries(Object.entries(entries).filter(([, file]) => isWritten(file))),
    external: (id, importer, isResolved) =>
      isLeftOut(id, importer) || (isResolved && id.startsWith(dist) && !isWritten(id)),
    plugins: [ownPlaces(dist, fileOf), picocolorsAsModule()],
  });
  const { output } = await joined.write({
    dir: dist,
    entryFileNames: '[name].js',
    chunkFileNames: ({ name }) => (name.includes('/') ? '[name].js' : `${FOLDER}/[name].js`),
    // Descriptions of names are in the declarations.
    comments: false,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => fileOf(id) ?? null }],
    },
  });
  await joined.close();
  for (const { fileName } of output) checkPaths(path.join(dist, fileName));
  copyLicences(
    root,
    dist,
    output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])),
  );
}

/**
 * A package that is found at run time. What a joined package imports is joined with it.
 * @param {string} id
 * @param {string | undefined} importer
 */
function isLeftOut(id, importer) {
  if (id.startsWith('.') || path.isAbsolute(id)) return false;
  if (id.startsWith('node:') || builtinModules.includes(id)) return true;
  if (importer?.includes('node_modules') === true) return false;
  return !joinedPackages.some((name) => id === name || id.startsWith(`${name}/`));
}

/**
 * All modules, by their names without extension.
 * @param {string} dist
 */
function entriesIn(dist) {
  const files = fs.readdirSync(dist, { recursive: true, encoding: 'utf8' });
  const modules = files.filter(
    (file) => file.endsWith('.js') && !/^(loaded|surface.console.ui)\W/.test(file),
  );
  return Object.fromEntries(modules.map((file) => [nameOf(file), path.join(dist, file)]));
}

/** @param {string} file below dist */
function nameOf(file) {
  return file.replace(/\.js$/, '').replaceAll(path.sep, '/');
}

/**
 * @param {string} dist
 * @param {Map<string, Imports>} graph
 * @returns {FileOf}
 */
function filesByModule(dist, graph) {
  /** @param {readonly string[]} names @param {keyof Imports} kind */
  const loadedBy = (names, kind = 'imports') => {
    const loaded = new Set(names.map((name) => path.join(dist, `${name}.js`)));
    for (const id of loaded) for (const imported of graph.get(id)?.[kind] ?? []) loaded.add(imported);
    return loaded;
  };
  const sdk = loadedBy(['sdk/index'], 'all');
  const sdkCore = loadedBy(['sdk/index']);
  const authors = [...sdk]
    .map((id) => nameOf(path.relative(dist, id)))
    .filter((name) => name.endsWith('/author'));
  const sdkServing = loadedBy(['sdk/serving', 'sdk/stdio-peer', ...authors]);
  const attached = loadedBy([...starts.command, ...starts.connect]);
  const loaded = Object.entries(starts).map(([name, names]) => ({ name, modules: loadedBy(names) }));
  return (id) => {
    if (sdkCore.has(id)) return 'sdk/core';
    if (sdk.has(id)) {
      const dialect = /^dialect\/([^/]+)\//.exec(nameOf(path.relative(dist, id)))?.[1];
      if (dialect !== undefined) return `sdk/dialect-${dialect}`;
      if (!sdkServing.has(id)) return 'sdk/when-described';
      // A command that only asks a running host does not load the rest.
      return attached.has(id) ? 'sdk/shared' : 'sdk/when-serving';
    }
    const names = loaded.filter(({ modules }) => modules.has(id)).map(({ name }) => name);
    const [first] = names;
    if (first === undefined) return undefined;
    const isShared = first !== 'help' && !hosts.includes(first) && names.some((name) => hosts.includes(name));
    return `${FOLDER}/${isShared ? 'shared' : first}`;
  };
}

/**
 * A module that finds other files by its own place finds them from the joined file.
 * @param {string} dist
 * @param {FileOf} fileOf
 * @returns {import('rolldown').Plugin}
 */
function ownPlaces(dist, fileOf) {
  return {
    name: 'own-places',
    transform(code, id) {
      const file = fileOf(id);
      if (file === undefined || !code.includes('import.meta.url')) return null;
      const own = path.relative(path.dirname(path.join(dist, file)), id).replaceAll(path.sep, '/');
      return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(own)}, import.meta.url).href`);
    },
  };
}

/**
 * Every command loads it, and the helper for modules that are not ES modules would be one more file.
 * @returns {import('rolldown').Plugin}
 */
function picocolorsAsModule() {
  return {
    name: 'picocolors-as-module',
    transform(code, id) {
      if (!id.endsWith('/picocolors/picocolors.js')) return null;
      const [before, after] = code.split(/^module\.exports = createColors\(\)$/m);
      if (after?.trim() !== 'module.exports.createColors = createColors')
        throw new Error('picocolors has changed: see picocolorsAsModule in scripts/bundle.mjs.');
      return `${before}export default Object.assign(createColors(), { createColors });`;
    },
  };
}

/**
 * A path that leads nowhere would be noticed much later, by the user of a command.
 * @param {string} file
 */
function checkPaths(file) {
  const paths = fs.readFileSync(file, 'utf8').matchAll(/\bfrom "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/g);
  for (const [, first, second = ''] of paths) {
    const place = path.resolve(path.dirname(file), first ?? second);
    if (!fs.existsSync(place)) throw new Error(`${file} imports ${place}, which is not there.`);
  }
}

/**
 * @param {string} root
 * @param {string} dist
 * @param {readonly string[]} modules
 */
function copyLicences(root, dist, modules) {
  const packages = modules.flatMap((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? []);
  const texts = [...new Set(packages)].sort().map((name) => {
    const folder = path.join(root, 'node_modules', name);
    const file = fs.readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined) throw new Error(`${name} is joined into dist and has no licence.`);
    return `${name}\n\n${fs.readFileSync(path.join(folder, file), 'utf8')}`;
  });
  if (texts.length > 0) fs.writeFileSync(path.join(dist, FOLDER, 'LICENSES.txt'), texts.join('\n'));
}
