// The manifest that lies beside the program of a plugin, when it is the manifest of this very program.
import path from 'node:path';
import type { DialectName, PluginSpec } from '../../definition/plugin-spec.ts';
import { canonical } from '../trust/containment.ts';
import { gassistFolder } from './gassist-folder.ts';
import { yamsFolder } from './yams-folder.ts';

/**
 * The spec with it: a G-Assist plugin tells the parameters of its functions nowhere else. A program that has manifests of several
 * dialects speaks them all, so that none of them says which it is to be; it is asked then.
 */
export async function withManifestBeside(
  spec: PluginSpec,
  platform: NodeJS.Platform = process.platform,
): Promise<PluginSpec> {
  if (spec.start.kind === 'http' || spec.manifest !== undefined) return spec;
  const { command, args = [], cwd } = spec.start;
  // What the words of a plugin without a folder of its own lead to depends on where the user stands: that may be anybody's project.
  const places = [
    ...(command.includes('/') ? [command] : []),
    ...wordsOfIts(args).filter((word) => !word.startsWith('-')),
  ].flatMap((word) => (cwd !== undefined || path.isAbsolute(word) ? [path.resolve(cwd ?? '/', word)] : []));
  for (const place of places) {
    const beside = await manifestOf(place, platform, spec.dialect);
    if (beside?.manifest === undefined) continue;
    const { dialect, manifest } = beside;
    const folder = spec.start.folder ?? path.dirname(place);
    return { ...spec, start: { ...spec.start, folder }, ...(dialect && { dialect }), manifest };
  }
  return spec;
}

/** What stands behind `--` is somebody else's program, as in `pluglot serve --as mcp -- node plugin.mjs`. */
function wordsOfIts(args: readonly string[]): readonly string[] {
  const at = args.indexOf('--');
  return at === -1 ? args : args.slice(0, at);
}

async function manifestOf(
  file: string,
  platform: NodeJS.Platform,
  dialect: DialectName | undefined,
): Promise<PluginSpec | undefined> {
  const program = await canonical(file);
  if (program === undefined) return undefined;
  const found: PluginSpec[] = [];
  for (const read of [gassistFolder, yamsFolder]) {
    const [candidate] = (await read(path.dirname(file), platform))?.candidates ?? [];
    if (candidate === undefined || candidate.claim === 'own') continue;
    // The first is the manifest, the others are what it starts.
    const [, ...started] = candidate.claim.evidence;
    const places = await Promise.all(started.map((one) => canonical(one.file)));
    if (places.includes(program)) found.push(candidate.spec);
  }
  const fitting = found.filter((spec) => (dialect ?? spec.dialect) === spec.dialect);
  return fitting.length === 1 ? fitting[0] : undefined;
}
