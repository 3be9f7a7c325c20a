// What other clients write for "a variable goes here", in our words.
import path from 'node:path';
import { replaceReferencesIn } from '../../base/replace-references.ts';
import type { ClientName, ClientSurroundings } from './client-files.ts';

export interface Translated {
  readonly text: string;
  /** References that only the other client can replace. */
  readonly unknown: readonly string[];
  /** Variables that have to be set from now on, because the other client asked for them. */
  readonly asked: readonly string[];
  /** References to the folder that was open there; here they stand for the one of today. */
  readonly fixed: readonly string[];
}

export function translateReferences(
  text: string,
  client: ClientName,
  surroundings: ClientSurroundings,
): Translated {
  const unknown: string[] = [];
  const asked: string[] = [];
  const fixed: string[] = [];
  // Claude Desktop replaces nothing; what looks like a reference is meant as it stands, and in `env` `$${` says so.
  if (client === 'claude-desktop') return { text: text.replaceAll('${', () => '$${'), unknown, asked, fixed };
  const named = client === 'gemini' ? text.replaceAll(/\$([A-Za-z_]\w*)/g, '${$1}') : text;
  const translated = replaceReferencesIn(named, /\$\{([^}]*)\}/g, (whole, inner = '') => {
    const known = places(surroundings).get(inner);
    if (known !== undefined && (client === 'cursor' || client === 'vscode')) {
      if (/^(workspace|cwd$)/.test(inner)) fixed.push(whole);
      return known;
    }
    const [, input] = /^input:(.+)$/.exec(inner) ?? [];
    if (input !== undefined) {
      const variable = input
        .replaceAll(/\W+/g, '_')
        .replace(/^(?=\d)/, '_')
        .toUpperCase();
      asked.push(variable);
      return `\${env:${variable}}`;
    }
    if (/^(env:)?[A-Za-z_]\w*(:-.*)?$/s.test(inner)) return `\${env:${inner.replace(/^env:/, '')}}`;
    unknown.push(whole);
    return whole;
  });
  return { text: translated, unknown, asked, fixed };
}

function places({ home, cwd }: ClientSurroundings): ReadonlyMap<string, string> {
  return new Map(
    Object.entries({
      workspaceFolder: cwd,
      workspaceRoot: cwd,
      workspaceFolderBasename: path.basename(cwd),
      userHome: home,
      cwd,
      pathSeparator: path.sep,
      '/': path.sep,
    }),
  );
}
