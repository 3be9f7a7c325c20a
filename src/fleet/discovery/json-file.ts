// Reads one JSON object from a file of limited size, with the lines of its keys.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import { readTextFile } from '../trust/files.ts';
import { type JsonNode, type JsonReaderOptions, memberOf, readJson } from './json-reader.ts';
import { type Problem, syntaxProblem } from './problem.ts';

export type ManifestReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'broken'; readonly problem: Problem }
  | {
      readonly kind: 'read';
      readonly object: JsonObject;
      readonly sha256: string;
      readonly root: JsonNode;
      /** The line of a key, or of its nearest existing parent. */
      readonly lineOf: (...path: string[]) => number;
    };

export async function readManifest(
  file: string,
  syntax: JsonReaderOptions['syntax'] = 'json',
  limitBytes: number = MiB,
): Promise<ManifestReading> {
  const read = await readTextFile(file, limitBytes);
  if (read.kind === 'absent') return read;
  const wayOut = 'Correct the file; until then it is left out.';
  const broken = (reason: string, place: { line?: number } = {}): ManifestReading => ({
    kind: 'broken',
    problem: { file, ...place, severity: 'error', reason, wayOut },
  });
  if (read.kind === 'unreadable') return broken(`the file ${read.reason}`);
  const { text, sha256 } = read;
  const reading = readJson(text, { syntax });
  if (!reading.ok) return { kind: 'broken', problem: syntaxProblem(file, reading, wayOut) };
  const { root } = reading;
  if (!isJsonObject(root.value)) return broken('expected an object', { line: 1 });
  const lineOf = (...path: string[]): number => {
    let { line } = root;
    let node: JsonNode | undefined = root;
    for (const key of path) {
      const member: ReturnType<typeof memberOf> = memberOf(node, key);
      if (!member) break;
      ({ line, node } = member);
    }
    return line;
  };
  return { kind: 'read', object: root.value, sha256, root, lineOf };
}
