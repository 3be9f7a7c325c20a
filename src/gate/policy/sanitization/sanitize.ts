// What command lines and paths may not do where a permissions file has a block for it, whatever its lists allow.
import path from 'node:path';
import { textOf } from '../../../base/shown.ts';
import { matchesGlob } from '../glob.ts';
import type { PermissionSource } from '../file/permissions.ts';
import type { PathScope, Sanitization } from '../file/permissions-file.ts';
import type { PolicyCall } from '../rules/call.ts';
import { forbiddingNames } from '../rules/tool-names.ts';
import { simpleWords } from '../shell/simple-words.ts';
import { dangerousIn } from './dangerous-commands.ts';
import { pathScope } from './path-scope.ts';
import { type NamedPaths, pathsIn } from './paths-in-words.ts';

export interface Objection {
  readonly kind: 'deny' | 'ask';
  readonly method: 'dangerous' | 'paths';
  readonly reason: string;
}

export interface Sanitizer {
  /** Whether it has anything to say of command lines: then one that cannot be read may hide it. */
  readonly watchesCommands: boolean;
  /** At once unless paths have to be followed. */
  check(call: PolicyCall): Objection | undefined | Promise<Objection | undefined>;
}

export interface SanitizerParts {
  readonly cwd: string;
  readonly home: string;
}

export function createSanitizer(sources: readonly PermissionSource[], parts: SanitizerParts): Sanitizer {
  const blocks = sources.flatMap(({ content, folder }) => {
    const rules = content?.sanitization;
    return rules && rules.enabled !== false ? [{ rules, folder }] : [];
  });
  return {
    watchesCommands: blocks.length > 0,
    check(call) {
      for (const { rules } of blocks) {
        const reason = call.shell && commandObjection(call, rules);
        if (reason) return { kind: 'deny', method: 'dangerous', reason };
      }
      const scopes = blocks.flatMap(({ rules, folder }) => {
        const scope = rules.path_scope;
        const paths = scope && scope.enabled !== false ? pathsOf(call, scope) : undefined;
        return scope && paths ? [{ scope, folder, paths }] : [];
      });
      return scopes.length === 0 ? undefined : pathObjection(call, scopes, parts);
    },
  };
}

function commandObjection({ shell }: PolicyCall, rules: Sanitization): string | undefined {
  if (!shell) return undefined;
  const { line } = shell.use;
  if (rules.block_shell_metacharacters !== false && line && simpleWords(line.command) === undefined) {
    return 'it has shell syntax, which is blocked here';
  }
  return dangerousIn(shell.reading, rules);
}

/** Undefined for a call of which no argument is a path. */
function pathsOf({ subject, shell }: PolicyCall, scope: PathScope): NamedPaths | undefined {
  if (shell) return pathsIn(shell.reading);
  const names = forbiddingNames(subject);
  const keys = Object.entries(scope.arguments ?? {})
    .filter(([tool]) => names.some((name) => matchesGlob(tool, name)))
    .flatMap(([, list]) => list);
  const values = keys.flatMap((key) => (Object.hasOwn(subject.args, key) ? [subject.args[key]] : []));
  const paths = values.flatMap((value) => (Array.isArray(value) ? value.map(textOf) : [textOf(value)]));
  return paths.length === 0 ? undefined : { paths, perhaps: [] };
}

async function pathObjection(
  { shell }: PolicyCall,
  scopes: readonly { readonly scope: PathScope; readonly folder: string; readonly paths: NamedPaths }[],
  { cwd, home }: SanitizerParts,
): Promise<Objection | undefined> {
  let unclear: string | undefined;
  for (const { scope, folder, paths } of scopes) {
    const outer = await pathScope(scope, { cwd, folder, home });
    const own = shell?.use.cwd;
    const outside = own === undefined ? undefined : await outer.check(own);
    if (outside !== undefined) return { kind: 'deny', method: 'paths', reason: outside };
    const inner =
      own === undefined ? outer : await pathScope(scope, { cwd: path.resolve(cwd, own), folder, home });
    for (const one of paths.paths) {
      const reason = await inner.check(one);
      if (reason !== undefined) return { kind: 'deny', method: 'paths', reason };
    }
    for (const one of paths.perhaps) {
      const reason = await inner.checkIfThere(one);
      if (reason !== undefined) return { kind: 'deny', method: 'paths', reason };
    }
    unclear ??= paths.unclear;
  }
  return unclear === undefined ? undefined : { kind: 'ask', method: 'paths', reason: unclear };
}
