// Joins what `pluglot/sdk` loads into a few files: a plugin starts once for every host that looks at it, and Node takes longer to find
// ninety small modules than to read one large one. Every module keeps its path, as a door into the file that has its code, so that
// whoever imports it, by whatever way, gets the same classes.
import path from 'node:path';

/** @param {string} root the folder of the project, already compiled */
export async function bundleSdk(root) {
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

  const bundle = await rolldown({
    input: Object.fromEntries(modules.map((file) => [nameOf(file), file])),
    ...options,
  });
  await bundle.write({
    dir: path.join(root, 'dist'),
    entryFileNames: '[name].js',
    chunkFileNames: 'sdk/[name].js',
    // What is said of a name stands in its declarations.
    comments: false,
    codeSplitting: { groups: [{ name: (file) => (atOnce.has(file) ? 'core' : groupOf(nameOf(file))) }] },
  });
  await bundle.close();
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

/**
 * The words of a dialect are read when a host speaks it.
 * @param {string} name
 */
function groupOf(name) {
  const dialect = /^dialect\/([^/]+)\//.exec(name)?.[1];
  return dialect === undefined ? 'dialects' : `dialect-${dialect}`;
}
