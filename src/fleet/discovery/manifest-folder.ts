// A folder that is a plugin because a manifest lies in it: what all dialects with such folders share.
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import type { DialectName } from '../../definition/plugin-spec.ts';
import type { Candidates } from './candidate.ts';
import type { EntryProgram } from './entry-program.ts';
import { readManifest } from './manifest-file.ts';
import { pluginName } from './plugin-name.ts';
import type { Problem } from './problem.ts';

export interface ManifestFolder {
  readonly manifest: JsonObject;
  /** It is no plugin, because of what stands at these keys. */
  readonly broken: (keys: readonly string[], reason: string, wayOut: string) => Candidates;
  /** It is one, and started so. */
  readonly found: (
    dialect: DialectName,
    program: EntryProgram & { readonly ok: true },
    env?: Readonly<Record<string, string>>,
  ) => Candidates;
}

/** Undefined when the folder has no such file. */
export async function manifestFolder(
  folder: string,
  fileName: string,
  look: (found: ManifestFolder) => Candidates | Promise<Candidates>,
): Promise<Candidates | undefined> {
  const file = path.join(folder, fileName);
  const reading = await readManifest(file);
  if (reading.kind === 'absent') return undefined;
  if (reading.kind === 'broken') return { candidates: [], problems: [reading.problem] };
  const { object: manifest, sha256, lineOf } = reading;
  const given = typeof manifest['name'] === 'string' ? pluginName(manifest['name']) : undefined;
  const name = given ?? pluginName(path.basename(folder));
  const broken: ManifestFolder['broken'] = (keys, reason, wayOut) => {
    const problem: Problem = { file, line: lineOf(...keys), severity: 'error', reason, wayOut };
    return { candidates: [], problems: [name === undefined ? problem : { ...problem, plugin: name }] };
  };
  if (name === undefined)
    return broken(['name'], 'neither the manifest nor the folder has a usable name', 'Give it a "name".');
  return look({
    manifest,
    broken,
    found: (dialect, { command, args, files }, env = {}) => ({
      candidates: [
        {
          spec: {
            name,
            dialect,
            start: {
              kind: 'program',
              command,
              ...(args.length > 0 && { args }),
              cwd: folder,
              folder,
              ...(Object.keys(env).length > 0 && { env }),
            },
            manifest,
          },
          origin: { kind: 'folder', file },
          claim: {
            root: folder,
            subjects: [folder],
            evidence: [
              { file, sha256, launch: launchDigest(folder, { name, dialect, command, args, env }) },
              ...files.map((one) => ({ file: one })),
            ],
          },
        },
      ],
      problems: [],
    }),
  });
}

/** Of all that decides what is run, and under which name. Real plugins rewrite the rest when the tools of their server change. */
function launchDigest(folder: string, launch: JsonObject): string {
  const text = JSON.stringify(launch, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(folder, '${plugin_dir}') : value,
  );
  return createHash('sha256').update(text).digest('hex');
}
