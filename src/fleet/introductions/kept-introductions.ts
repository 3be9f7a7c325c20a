// Introductions as files of the state folder, one each; the oldest go when there are many.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isJsonObject } from '../../base/json.ts';
import { MiB } from '../../base/limits.ts';
import { dialectNames, type PluginSpec } from '../../definition/plugin-spec.ts';
import { identityOf } from './identity.ts';
import type { Introduction, Introductions } from './introductions.ts';

/** Of another form than this one says, it is not read. */
const FORM = 1;
const LONGEST = 2 * MiB;
const FILES_MAX = 500;

export function keptIntroductions(folder: string): Introductions {
  const fileOf = (spec: PluginSpec) => path.join(folder, `${identityOf(spec)}.json`);
  return {
    recall(spec) {
      try {
        return read(fileOf(spec));
      } catch {
        return undefined;
      }
    },
    keep(spec, introduction) {
      const text = JSON.stringify({ form: FORM, ...introduction });
      if (text.length > LONGEST) return;
      try {
        const file = fileOf(spec);
        if (textOf(file) === text) return;
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const draft = `${file}.${randomUUID()}.tmp`;
        writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
        renameSync(draft, file);
        dropOldest(folder);
      } catch {
        // The next start asks again.
      }
    },
    forget(spec) {
      rmSync(fileOf(spec), { force: true });
    },
  };
}

function textOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= 4 * LONGEST ? readFileSync(file, 'utf8') : undefined;
}

/** Of our own making; what another version has written may look otherwise. */
function read(file: string): Introduction | undefined {
  const text = textOf(file);
  const kept: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isJsonObject(kept) || kept['form'] !== FORM) return undefined;
  const { manifest, abilities } = kept;
  if (!isJsonObject(manifest) || !isJsonObject(abilities) || !Array.isArray(manifest['tools']))
    return undefined;
  const isKnown = dialectNames.some((name) => name === manifest['dialect']);
  const { form: _, ...introduction } = kept;
  // Its form was looked at above.
  return isKnown ? (introduction as unknown as Introduction) : undefined;
}

function dropOldest(folder: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  if (names.length <= FILES_MAX) return;
  const files = names.map((name) => {
    const file = path.join(folder, name);
    return { file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  const oldest = files.toSorted((one, other) => one.at - other.at).slice(0, names.length - FILES_MAX);
  for (const { file } of oldest) rmSync(file, { force: true });
}
