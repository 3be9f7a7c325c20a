// Plugins of installed npm packages: direct dependencies of the project that declare them in their package.json.
import path from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type DialectName, dialectNames } from '../../definition/plugin-spec.ts';
import type { Evidence } from '../trust/trust-store.ts';
import { type Candidate, type Candidates, type ModuleCandidate, pluginName } from './candidate.ts';
import { locate } from './start-files.ts';
import { FACTORY } from './module-files.ts';
import { readManifest } from './json-file.ts';
import type { Problem } from './problem.ts';

/** `file` is the project's package.json; packages are found beside it and in parent folders up to `top`. */
export async function packagePlugins(file: string, top: string): Promise<Candidates> {
  const project = await readManifest(file);
  if (project.kind === 'absent') return { candidates: [], problems: [] };
  if (project.kind === 'broken') return { candidates: [], problems: [project.problem] };
  const evidence: Evidence = { file, sha256: project.sha256 };
  const root = path.dirname(file);
  const names = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((key) => {
    const list = project.object[key];
    return isJsonObject(list) ? Object.keys(list) : [];
  });
  const candidates: Candidate[] = [];
  const modules: ModuleCandidate[] = [];
  const problems: Problem[] = [];
  for (const name of [...new Set(names)].filter(isPackageName).sort().slice(0, PACKAGES_LIMIT)) {
    const found = await pluginsOf(name, root, top, evidence);
    candidates.push(...found.candidates);
    modules.push(...(found.modules ?? []));
    problems.push(...found.problems);
  }
  return { candidates, modules, problems };
}

const PACKAGES_LIMIT = 1000;

/** A name with `..` in it would lead out of node_modules. */
function isPackageName(name: string): boolean {
  return /^(@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/.test(name);
}

async function pluginsOf(name: string, root: string, top: string, evidence: Evidence): Promise<Candidates> {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const home = path.join(folder, 'node_modules', name);
    const file = path.join(home, 'package.json');
    const read = await readManifest(file);
    if (read.kind === 'broken') return { candidates: [], problems: [read.problem] };
    if (read.kind === 'read') {
      const { pluglot } = read.object;
      if (pluglot === undefined) return { candidates: [], problems: [] };
      const plugins = isJsonObject(pluglot) ? pluglot['plugins'] : undefined;
      if (!isJsonObject(plugins)) {
        const wayOut = 'Write "pluglot": { "plugins": { "NAME": "./plugin.js" } }.';
        const reason = `the package ${name} has a "pluglot" without "plugins"`;
        return {
          candidates: [],
          problems: [{ file, line: read.lineOf('pluglot'), severity: 'error', reason, wayOut }],
        };
      }
      const found = await Promise.all(
        Object.entries(plugins).map(([title, value]) =>
          plugin({
            title,
            value,
            home,
            file,
            line: read.lineOf('pluglot', 'plugins', title),
            root,
            evidence,
            package: name,
          }),
        ),
      );
      return {
        candidates: found.flatMap((one) => ('spec' in one ? [one] : [])),
        modules: found.flatMap((one) => ('module' in one ? [one] : [])),
        problems: found.flatMap((one) => ('reason' in one ? [one] : [])),
      };
    }
    if (folder === top || folder === path.dirname(folder)) return { candidates: [], problems: [] };
  }
}

interface Declared {
  readonly title: string;
  readonly value: Json;
  readonly home: string;
  readonly file: string;
  readonly line: number;
  readonly root: string;
  readonly evidence: Evidence;
  readonly package: string;
}

/** `"./plugin.js"` or `"./plugin.js#factory"`, or the same as `file` of an object: in the host, unless `process` says otherwise. */
async function plugin(declared: Declared): Promise<Candidate | ModuleCandidate | Problem> {
  const { title, value, home, file, line, root, evidence } = declared;
  const name = pluginName(title);
  const broken = (reason: string, wayOut: string): Problem => ({
    file,
    line,
    severity: 'error',
    reason: `the plugin "${title.slice(0, 80)}" of ${declared.package}: ${reason}`,
    wayOut,
    ...(name !== undefined && { plugin: name }),
  });
  if (name === undefined)
    return broken('not a name for a plugin', 'Use letters, digits, dots, dashes and underscores.');
  const form: JsonObject = isJsonObject(value) ? value : { file: value };
  const { file: given, args = [], dialect } = form;
  const isModule = form['process'] !== true;
  if (typeof given !== 'string') return broken('"file" is not text', 'Name the file: "./dist/plugin.js".');
  const [program = '', factory = FACTORY] = isModule ? given.split('#', 2) : [given];
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(factory))
    return broken(`"${factory.slice(0, 80)}" is not a name of an export`, `Write "${program}#${FACTORY}".`);
  if (!Array.isArray(args) || !args.every((arg): arg is string => typeof arg === 'string')) {
    return broken('"args" is not a list of texts', 'Write ["one", "two"].');
  }
  if (dialect !== undefined && !isDialect(dialect)) {
    return broken('"dialect" is unknown', `Use one of ${dialectNames.join(', ')}.`);
  }
  const located = await locate(home, program);
  switch (located.kind) {
    case 'outside':
      return broken(`"${program}" is outside the package`, 'Name a file of the package.');
    case 'absent':
    case 'unfit':
      return broken(`"${program}" is not there`, 'Build or install the package again.');
    case 'file': {
      const about = {
        origin: { kind: 'package', file, line },
        // A cloned project can bring its own node_modules, so a package is as trusted as the project that asks for it.
        claim: { root, subjects: [home], evidence: [evidence] },
      } as const;
      if (isModule) return { module: { name, file: located.file, factory }, ...about };
      return {
        spec: {
          name,
          ...(dialect !== undefined && { dialect }),
          start: {
            kind: 'program',
            command: process.execPath,
            args: [located.file, ...args],
            cwd: root,
            folder: home,
          },
        },
        ...about,
      };
    }
  }
}

function isDialect(value: Json): value is DialectName {
  return dialectNames.some((name) => name === value);
}
