// `pluglot trust add PATH`: finds the files below a path that decide what is run, and pins them as they are now.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { canonical, isInside } from '../trust/containment.ts';
import type { Claim, TrustAdded, TrustStore } from '../trust/trust-store.ts';
import type { Candidates } from './candidate.ts';
import { pluginFolders } from './plugin-folders.ts';
import { CONFIGURATION_FILES } from './project-files.ts';
import { readSources, type SourceOptions } from './sources.ts';

export interface TrustedNow extends TrustAdded {
  /** What is found from here, but lies elsewhere and has to be trusted by itself. */
  readonly elsewhere: readonly string[];
}

/** @throws PluglotError CONFIG_INVALID when there is nothing at the path, or the store cannot be read */
export async function trustPath(
  store: TrustStore,
  given: string,
  surroundings: Pick<SourceOptions, 'home' | 'env' | 'platform'> & { readonly cwd: string },
): Promise<TrustedNow> {
  const place = path.resolve(surroundings.cwd, given);
  const stats = await stat(place).catch(() => undefined);
  if (stats === undefined || !stats.isDirectory())
    return { ...(await store.add(place, [place])), elsewhere: [] };

  const root = (await canonical(place)) ?? place;
  const { files, isProject } = await filesOfProject(root);
  const { sources, settings } = await readSources({ ...surroundings, cwd: root });
  const asProject = [...sources.flatMap(claimsIn), ...claimsOf(settings)];
  const asFolder = await pluginFolders(root, surroundings.platform ?? process.platform, { file: root });
  const claims = [
    ...asProject,
    ...claimsIn(asFolder).filter((claim) => !(isProject && isLooseFile(claim, root))),
  ];
  const evidence = claims.flatMap((claim) => claim.evidence);
  // Only a project brings what lies elsewhere: from a folder of plugins one sees the projects around it, of which nobody asked.
  const brought = isProject ? claims : claimsIn(asFolder);
  const elsewhere = brought.filter((claim) => !isInside(root, claim.root)).map((claim) => claim.root);
  const added = await store.add(root, [...files, ...evidence.filter(({ file }) => isInside(root, file))]);
  return { ...added, elsewhere: [...new Set(elsewhere)].filter((one) => !isInside(one, root)) };
}

function claimsIn({ candidates, modules = [] }: Candidates): Claim[] {
  return claimsOf([...candidates, ...modules]);
}

function claimsOf(bringers: readonly { readonly claim: Claim | 'own' }[]): Claim[] {
  return bringers.flatMap(({ claim }) => (claim === 'own' ? [] : [claim]));
}

/** Pinned whether or not they name a plugin today, so that a package that is installed later is covered. */
const projectNames = [...CONFIGURATION_FILES, 'package.json', 'references.json', '.references.json'];

async function filesOfProject(root: string): Promise<{ files: string[]; isProject: boolean }> {
  const files: string[] = [];
  for (const name of projectNames) {
    const file = path.join(root, name);
    if ((await stat(file).catch(() => undefined))?.isFile()) files.push(file);
  }
  return { files, isProject: files.length > 0 };
}

/** A script in the root of a project is the project's own business, no plugin. */
function isLooseFile(claim: Claim, root: string): boolean {
  return (
    path.dirname(claim.root) === root && claim.evidence.length === 1 && claim.evidence[0]?.file === claim.root
  );
}
