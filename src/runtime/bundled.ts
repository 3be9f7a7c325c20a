// The example plugins that come with this package, a dialect each and more: what `pluglot up` runs where nothing is configured yet.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fullName, type DialectName, type PluginSpec } from '../definition/plugin-spec.ts';
import type { Discovery, Found } from '../fleet/discovery/discover.ts';

interface Bundled {
  readonly name: string;
  readonly dialect: DialectName;
  /** Below `examples`. */
  readonly file: string;
  readonly language: 'node' | 'python';
  /** Its tools that change nothing, and read nothing outside of their folder: they need no question. */
  readonly harmless: readonly string[];
}

const bundled: readonly Bundled[] = [
  {
    name: 'countdown',
    dialect: 'gassist',
    file: 'gassist-countdown/plugin.mjs',
    language: 'node',
    harmless: ['countdown'],
  },
  {
    name: 'markdown',
    dialect: 'yams',
    file: 'yams-markdown/plugin.mjs',
    language: 'node',
    harmless: ['markdown.outline'],
  },
  {
    name: 'workspace',
    dialect: 'gevals',
    file: 'gevals-workspace/extension.mjs',
    language: 'node',
    // It holds itself to the folder that it works in.
    harmless: ['contains', 'said'],
  },
  {
    name: 'words',
    dialect: 'planner',
    file: 'planner-words/plugin.mjs',
    language: 'node',
    // It keeps nothing.
    harmless: ['update_context', 'create_plan', 'execute_task', 'validate_code'],
  },
  { name: 'dice', dialect: 'mcp', file: 'mcp-dice/server.mjs', language: 'node', harmless: ['roll'] },
  {
    name: 'clock',
    dialect: 'mcp',
    file: 'mcp-clock/server.py',
    language: 'python',
    harmless: ['now', 'days_between'],
  },
  // On the SDK, and so of any dialect.
  {
    name: 'word-tools',
    dialect: 'mcp',
    file: 'word-tools/plugin.mjs',
    language: 'node',
    harmless: ['count_words'],
  },
];

/** A hint for a name of one of them that does not run; '' for all other names. */
export function exampleHint(name: string): string {
  if (!bundled.some((one) => one.name === name)) return '';
  return ' It is an example that `pluglot up` runs where nothing is configured.';
}

export interface BundledPlugins {
  /** What was found, and the examples under names that nothing else has. */
  readonly beside: (found: Discovery) => Discovery;
  /** Tools of those examples that need no question, as `plugin__tool`; another list when other ones are used. */
  readonly allowed: () => readonly string[];
}

/** Programs to run them with; without Python, those in it are left out. */
export function bundledPlugins(programs: {
  readonly node: string;
  readonly python?: string | undefined;
}): BundledPlugins {
  const usable = bundled.flatMap((one) => {
    const program = programs[one.language];
    return program === undefined ? [] : [{ ...one, found: foundOf(one, program) }];
  });
  let allowed: readonly string[] = [];
  return {
    beside(found) {
      const free = usable.filter(({ name }) => !found.names.includes(name));
      const harmless = free.flatMap((one) => one.harmless.map((tool) => fullName(one.name, tool)));
      if (harmless.join() !== allowed.join()) allowed = harmless;
      const names = free.map(({ name }) => name);
      return {
        ...found,
        plugins: [...found.plugins, ...free.map((one) => one.found)],
        names: [...found.names, ...names],
        checkAgain: async (plugin) =>
          names.includes(plugin) ? ({ trusted: true } as const) : found.checkAgain(plugin),
      };
    },
    allowed: () => allowed,
  };
}

/** Beside src/ and beside dist/ alike. */
const examples = fileURLToPath(new URL('../../examples', import.meta.url));

function foundOf({ name, dialect, file }: Bundled, program: string): Found {
  const place = path.join(examples, file);
  const spec: PluginSpec = { name, dialect, start: { kind: 'program', command: program, args: [place] } };
  return { spec, origin: { kind: 'folder', file: place }, trust: { trusted: true } };
}
