// Joins what is loaded together into a few files: a plugin starts once for every host that looks at it, a command for every line that is
// typed, and Node takes longer to find ninety small modules than to read one large one. Every module keeps its path, as a door into the
// file that has its code, so that whoever imports it, by whatever way, gets the same classes.
import fs from 'node:fs';
import path from 'node:path';

/** @param {string} root the folder of the project, already compiled */
export async function bundleSdk(root) {
  // What is a door then has to be compiled anew the next time, also where this fails half-way.
  fs.rmSync(path.join(root, 'dist/.tsbuildinfo'), { force: true });
  // It is installed by now, but was not when this file was read.
  const { rolldown } = await import('rolldown');
  const sources = path.join(root, 'src');
  /** @param {string} file */
  const isOurs = (file) => file.startsWith(sources);
  /** @param {string} file */
  const nameOf = (file) => path.relative(sources, file).replace(/\.ts$/, '').replaceAll(path.sep, '/');
  /** @type {import('rolldown').InputOptions} */
  const options = { cwd: root, platform: 'node', external: [/^node:/] };

  // All that an author may load, and what of it is loaded at once.
  const whole = await rolldown({ input: path.join(sources, 'sdk/index.ts'), ...options });
  const { output } = await whole.generate();
  await whole.close();
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : [])).filter(isOurs);
  const atOnce = new Set(modulesAtOnce(output));
  /** @param {string} file */
  const whenServing = (file) => ['sdk/serving', 'sdk/stdio-peer'].includes(nameOf(file)) || isShared(file);
  /** @param {string} file */
  const dialectOf = (file) => /^dialect\/([^/]+)\//.exec(nameOf(file))?.[1];
  /** @param {string} file */
  const isShared = (file) => /^(channel|dialect)\//.test(nameOf(file)) && dialectOf(file) === undefined;

  const bundle = await rolldown({
    input: Object.fromEntries(modules.map((file) => [nameOf(file), file])),
    ...options,
  });
  const written = await bundle.write({
    dir: path.join(root, 'dist'),
    entryFileNames: '[name].js',
    chunkFileNames: 'sdk/[name].js',
    // What is said of a name stands in its declarations.
    comments: false,
    // A group takes what its modules import along, unless an earlier one has it.
    codeSplitting: {
      groups: [
        { name: 'core', test: (file) => atOnce.has(file), priority: 4 },
        // Whichever dialect is spoken, it needs what they share.
        { name: 'when-serving', test: whenServing, priority: 3 },
        // The words of a dialect are read when a host speaks it.
        {
          name: (file) => `dialect-${dialectOf(file)}`,
          test: (file) => dialectOf(file) !== undefined,
          priority: 2,
        },
        { name: 'when-described', test: isOurs, priority: 1 },
      ],
    },
  });
  await bundle.close();
  const doors = new Set(modules.map((file) => path.join(root, 'dist', `${nameOf(file)}.js`)));
  await bundleHost(root, doors, joinedIn(written, path.join(root, 'dist')));
}

/**
 * What a host and the command line load at once; a module belongs to the first that has it. Each takes of its own folders alone, so that
 * nobody who loads one of them loads what only others need.
 */
const loaded = [
  { name: 'loaded-fleet', entry: 'runtime/fleet-parts.js', folders: ['fleet', 'runtime'] },
  // What every call passes.
  { name: 'loaded-gate', entry: 'runtime/wire.js', folders: ['fleet', 'gate', 'plugins', 'runtime'] },
  // The words of the command line, for help and refusals.
  { name: 'loaded-words', entry: 'surface/cli/program.js', folders: ['surface'] },
  { name: 'loaded-host', entry: 'surface/cli/host/with-host.js', folders: ['surface'] },
];

/**
 * The same for hosts and the command line, from what was compiled.
 * @param {string} root
 * @param {Set<string>} doors modules whose code is elsewhere already
 * @param {Set<string>} joined where it is
 */
async function bundleHost(root, doors, joined) {
  const { rolldown } = await import('rolldown');
  const dist = path.join(root, 'dist');
  /** @param {string} id */
  const isElsewhere = (id) => !id.startsWith('.') && !path.isAbsolute(id);
  for (const { name, entry, folders } of loaded) {
    if (!fs.existsSync(path.join(dist, entry))) continue;
    const whole = await rolldown({
      input: path.join(dist, entry),
      cwd: root,
      platform: 'node',
      external: isElsewhere,
    });
    const { output } = await whole.generate();
    await whole.close();
    const isMember = (/** @type {string} */ file) =>
      folders.some((folder) => file.startsWith(path.join(dist, folder) + path.sep)) &&
      !(doors.has(file) || joined.has(file) || staysAlone(file));
    const members = new Set(modulesAtOnce(output).filter(isMember));
    // Paths between the files are counted from here, wherever they are written to.
    const base = commonFolder([...members]);
    const nameOf = (/** @type {string} */ file) =>
      path.relative(base, file).replace(/\.js$/, '').replaceAll(path.sep, '/');
    const bundle = await rolldown({
      input: Object.fromEntries([...members].map((file) => [nameOf(file), file])),
      cwd: root,
      platform: 'node',
      // Through a door one sees what is behind it.
      external: (id, _, isResolved) => isElsewhere(id) || (isResolved && !members.has(id) && !doors.has(id)),
    });
    const written = await bundle.write({
      dir: base,
      entryFileNames: '[name].js',
      chunkFileNames: `${name}.js`,
      comments: false,
      codeSplitting: { groups: [{ name }] },
    });
    await bundle.close();
    for (const file of members) doors.add(file);
    for (const file of joinedIn(written, base)) {
      joined.add(file);
      checkPaths(file);
    }
  }
}

/** @param {readonly string[]} files */
function commonFolder(files) {
  const [first = [], ...others] = files.map((file) => path.dirname(file).split(path.sep));
  let length = first.length;
  for (const other of others)
    while (other.slice(0, length).join('/') !== first.slice(0, length).join('/')) length -= 1;
  return first.slice(0, length).join(path.sep);
}

/**
 * A path that leads nowhere would be noticed by whoever runs that command, much later.
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
 * The files that have the code of several modules.
 * @param {import('rolldown').RolldownOutput} written
 * @param {string} folder where they were written to
 */
function joinedIn({ output }, folder) {
  const chunks = output.filter((chunk) => chunk.type === 'chunk' && !chunk.isEntry);
  return new Set(chunks.map(({ fileName }) => path.join(folder, fileName)));
}

/**
 * What finds other files by its own place has to stay there, and `--version` needs no more than the first.
 * @param {string} file
 */
function staysAlone(file) {
  return file.endsWith('/exit-code.js') || fs.readFileSync(file, 'utf8').includes('import.meta');
}

/**
 * The modules of the entry, and of all that it waits for.
 * @param {import('rolldown').RolldownOutput['output']} output
 */
function modulesAtOnce([entry, ...others]) {
  const chunks = [entry];
  for (const chunk of chunks)
    for (const name of chunk.imports) {
      const imported = others.find((other) => other.fileName === name);
      if (imported?.type === 'chunk' && !chunks.includes(imported)) chunks.push(imported);
    }
  return chunks.flatMap((chunk) => chunk.moduleIds);
}
