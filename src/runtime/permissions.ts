// All rules that hold here: the usual files, those that configurations name, and what configurations themselves say of tools.
import path from 'node:path';
import type { TrustStore } from '../fleet/trust/trust-store.ts';
import { readTextFile } from '../fleet/trust/files.ts';
import { MiB } from '../base/units.ts';
import type { Permissions, PermissionSource } from '../gate/policy/file/permissions-file.ts';
import { readPermissions } from '../gate/policy/file/read-permissions.ts';
import type { GateSettings } from './gate-settings.ts';
import type { GateFilesOptions } from './read-entries.ts';

export async function permissionsOf(
  { permissions: named, classes, broken }: GateSettings,
  options: GateFilesOptions & { readonly trust: TrustStore },
): Promise<Permissions> {
  const { cwd, env, home, trust } = options;
  const usual = await readPermissions({ cwd, env, home, trust });
  const others = await Promise.all(
    named
      .filter(({ file }) => usual.sources.every((source) => source.file !== file))
      .map((one) => readNamed(one, { cwd, env, home, trust })),
  );
  return {
    sources: [
      ...(broken === undefined ? [] : [brokenSource(broken, cwd)]),
      ...others.flatMap(({ sources }) => sources),
      ...usual.sources,
      ...classSources(classes, cwd),
    ],
    problems: [...others.flatMap(({ problems }) => problems), ...usual.problems],
  };
}

type Reading = Parameters<typeof readPermissions>[0] & { readonly trust: TrustStore };

/** A file that the user has not named counts if it is trusted as it is now. */
async function readNamed(
  { file, isOwn, mayLoosen }: GateSettings['permissions'][number],
  reading: Reading,
): Promise<Permissions> {
  const { sources, problems } = await readPermissions({ ...reading, file });
  const own = sources.filter((source) => source.file === file);
  const ownProblems = problems.filter((problem) => problem.file === file);
  if (isOwn) return { sources: own, problems: ownProblems };
  const trusted = mayLoosen && (await isTrusted(file, reading.trust));
  return {
    sources: own.map((source) => ({ ...source, trusted: source.trusted && trusted })),
    problems: ownProblems,
  };
}

async function isTrusted(file: string, store: TrustStore): Promise<boolean> {
  const read = await readTextFile(file, MiB);
  if (read.kind !== 'read') return false;
  const check = await store.checker();
  const evidence = [{ file, sha256: read.sha256 }];
  return (await check({ root: path.dirname(file), subjects: [], evidence })).trusted;
}

function brokenSource(broken: string, folder: string): PermissionSource {
  return { file: 'pluglot.json', trusted: true, folder, broken };
}

/** Those of a project that is not trusted are left out before, unless they tighten. */
function classSources(
  { readOnly, destructive, cautious }: GateSettings['classes'],
  folder: string,
): PermissionSource[] {
  const tightening: PermissionSource[] =
    cautious.length === 0
      ? []
      : [
          {
            file: 'pluglot.json',
            trusted: false,
            folder,
            content: { defaultPolicy: 'allow', classes: { destructive: { tools: cautious } } },
          },
        ];
  if (readOnly.length + destructive.length === 0) return tightening;
  const classes = {
    ...(readOnly.length > 0 && { readOnly: { tools: readOnly } }),
    ...(destructive.length > 0 && { destructive: { tools: destructive } }),
  };
  return [{ file: 'pluglot.json', trusted: true, folder, content: { classes } }, ...tightening];
}
