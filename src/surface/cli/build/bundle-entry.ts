// The program of a plugin with all that it imports, as one file that runs without node_modules.
import { builtinModules } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Plugin, RolldownLog } from 'rolldown';
import { PluglotError, toError } from '../../../base/error.ts';
import type { Rolldown } from './bundler.ts';

export interface BundleOptions {
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
 * @throws PluglotError TOOL_FAILED with what the bundler says
 */
export async function bundleEntry({ bundler, entry, folder, servesDefault }: BundleOptions): Promise<string> {
  const problems: string[] = [];
  try {
    const bundle = await bundler.rolldown({
      input: servesDefault ? SERVING : entry,
      cwd: folder,
      platform: 'node',
      external: [/^node:/, ...builtinModules],
      plugins: [servingEntry(entry), ownSdk()],
      // It would tell where on this machine each part came from.
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
    // The bundler colours what it says, for whomever it believes to be there.
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

const SERVING = 'pluglot:serving';

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
