// A module that makes a plugin comes into this process: looked at once more, loaded, and asked for its plugin.
import { pathToFileURL } from 'node:url';
import { PluglotError, toError } from '../../base/error.ts';
import { late, within } from '../../base/within.ts';
import { sentence, sentences } from '../../base/sentence.ts';
import { isRecord } from '../../definition/shape.ts';
import type { ModuleSpec } from '../discovery/candidate.ts';
import { readPinned } from '../supervisor/pinned-files.ts';
import { hashFile } from '../trust/regular-file.ts';
import type { Trust } from '../trust/trust-store.ts';
import { conforming, type Conforming } from './conforming.ts';
import type { InProcessHost } from './in-process-host.ts';
import { tookTooLong } from './live-definition.ts';

/** Gives what the file exports. `sha256` is that of the file as it is now: another one is another module. */
export type LoadModule = (file: string, sha256: string) => Promise<unknown>;

/** Node keeps a module for ever under its address, so a changed file needs another one. */
export const importModule: LoadModule = (file, sha256) =>
  import(/* @vite-ignore */ `${pathToFileURL(file).href}?sha256=${sha256.slice(0, 16)}`) as Promise<unknown>;

export interface ModuleParts {
  readonly host: InProcessHost;
  readonly load: LoadModule;
  /** Whether it may be loaded as it is now. */
  readonly check: () => Promise<Trust | undefined>;
}

/** @throws PluglotError NOT_TRUSTED, START_FAILED, START_TIMEOUT, DEFINITION_INVALID */
export async function loadPlugin(
  { name, file, factory, limits }: ModuleSpec,
  { host, load, check }: ModuleParts,
): Promise<Conforming> {
  const hashed = await hashFile(file);
  if (hashed.kind !== 'read') {
    const why = hashed.kind === 'absent' ? 'is not there' : hashed.reason;
    throw new PluglotError('START_FAILED', `Plugin "${name}" cannot be loaded: ${file} ${sentence(why)}`);
  }
  // The last that happens before it is loaded.
  const trust = await check();
  if (trust?.trusted !== true)
    throw new PluglotError(
      'NOT_TRUSTED',
      trust === undefined
        ? `Plugin "${name}" may not be loaded: nothing is known of ${file} any more.`
        : `Plugin "${name}" may not be loaded: ${sentences(trust.reason, trust.wayOut)}`,
    );
  const files = await readPinned(name, trust.pinned ?? [], false);
  const loadAsTrusted: LoadModule = async (...asked) => {
    const exported = await load(...asked);
    await files.confirm();
    return exported;
  };
  const { startMs } = host.limits(limits);
  const made = await within(make(file, hashed.sha256, factory, loadAsTrusted, name), startMs, host.clock);
  if (made === late) throw tookTooLong(name, startMs);
  return conforming(made, `What ${factory}() of ${file} gives`);
}

async function make(
  file: string,
  sha256: string,
  factory: string,
  load: LoadModule,
  name: string,
): Promise<unknown> {
  const failed = (what: string) => (thrown: unknown) => {
    if (thrown instanceof PluglotError && thrown.code === 'NOT_TRUSTED') throw thrown;
    throw new PluglotError(
      'START_FAILED',
      `Plugin "${name}" cannot be loaded: ${what}: ${toError(thrown).message}`,
      {
        cause: thrown,
      },
    );
  };
  const exported = await load(file, sha256).catch(failed(file));
  const create = exportOf(exported, factory);
  if (typeof create !== 'function')
    throw new PluglotError(
      'DEFINITION_INVALID',
      `Plugin "${name}" cannot be loaded: ${file} exports no function ${factory}.`,
    );
  return (async (): Promise<unknown> => create.call(undefined))().catch(
    failed(`${factory}() of ${file} failed`),
  );
}

/** Of CommonJS all may be in the default export. */
function exportOf(exported: unknown, name: string): Function | undefined {
  if (!isRecord(exported)) return undefined;
  for (const from of [exported, exported['default']]) {
    if (!isRecord(from) || !(name in from)) continue;
    const found = from[name];
    if (typeof found === 'function') return found;
  }
  return undefined;
}
