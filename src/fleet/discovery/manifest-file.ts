// A manifest on disk: one JSON object in a file of modest size.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { MiB } from '../../base/limits.ts';
import { readTextFile } from '../trust/regular-file.ts';
import { type JsonNode, type JsonReaderOptions, memberOf, readJson } from './json-reader.ts';
import type { Problem } from './problem.ts';
import { type Place, placesIn } from './text-places.ts';

export type ManifestReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'broken'; readonly problem: Problem }
  | {
      readonly kind: 'read';
      readonly object: JsonObject;
      readonly sha256: string;
      /** The permission bits. */
      readonly mode: number;
      readonly root: JsonNode;
      readonly placeOf: (offset: number) => Place;
      /** The line of a key, or of the nearest one on the way to it. */
      readonly lineOf: (...path: string[]) => number;
    };

export async function readManifest(
  file: string,
  syntax: JsonReaderOptions['syntax'] = 'json',
  limitBytes: number = MiB,
): Promise<ManifestReading> {
  const read = await readTextFile(file, limitBytes);
  if (read.kind === 'absent') return read;
  const broken = (reason: string, place: { line?: number; column?: number } = {}): ManifestReading => ({
    kind: 'broken',
    problem: {
      file,
      ...place,
      severity: 'error',
      reason,
      wayOut: 'Correct the file; until then it is left out.',
    },
  });
  if (read.kind === 'unreadable') return broken(`the file ${read.reason}`);
  const { text, sha256, mode } = read;
  const placeOf = placesIn(text);
  const reading = readJson(text, { syntax });
  if (!reading.ok) return broken(`no JSON: ${reading.reason}`, placeOf(reading.offset));
  const { root } = reading;
  if (!isJsonObject(root.value)) return broken('expected an object', { line: 1 });
  const lineOf = (...path: string[]): number => {
    let { start } = root;
    let node: JsonNode | undefined = root;
    for (const key of path) {
      const member: ReturnType<typeof memberOf> = memberOf(node, key);
      if (!member) break;
      ({ start, node } = member);
    }
    return placeOf(start).line;
  };
  return { kind: 'read', object: root.value, sha256, mode, root, placeOf, lineOf };
}
