// Reads the text of a permissions.json. One thing wrong and it is broken: half of a rule may be the half that allows.
import { complaintsAbout, type PublishedSchema } from '../../../fleet/discovery/config-schema.ts';
import { readJson } from '../../../fleet/discovery/json-reader.ts';
import type { Problem } from '../../../fleet/discovery/problem.ts';
import { placesIn } from '../../../fleet/discovery/text-places.ts';
import type { PermissionsFile } from './permissions-file.ts';

export interface PermissionsReading {
  /** Undefined when anything is wrong. */
  readonly content?: PermissionsFile;
  readonly problems: readonly Problem[];
}

/** Nobody reads more. */
const TOLD_LIMIT = 20;

export async function parsePermissions(file: string, text: string): Promise<PermissionsReading> {
  const reading = readJson(text, { syntax: 'jsonc' });
  const placeOf = placesIn(text);
  if (!reading.ok) {
    return {
      problems: [
        {
          file,
          ...placeOf(reading.offset),
          severity: 'error',
          reason: `no JSON: ${reading.reason}`,
          wayOut: 'Mend the line; until then everything is denied.',
        },
      ],
    };
  }
  const twice = reading.duplicates.map(({ key, start }): Problem => {
    const reason = `"${key.slice(0, 80)}" stands there twice, and only one of them would count`;
    return { file, line: placeOf(start).line, severity: 'error', reason, wayOut: 'Join them.' };
  });
  const complaints = await complaintsAbout(file, placeOf, reading.root, schema);
  const problems = [...twice, ...complaints.map(({ problem }) => problem)].slice(0, TOLD_LIMIT);
  // What the schema has found nothing wrong with is one.
  return problems.length > 0 ? { problems } : { content: reading.root.value as PermissionsFile, problems };
}

const schema: PublishedSchema = {
  // Beside src/ and beside dist/ alike.
  url: new URL('../../../../schemas/permissions.schema.json', import.meta.url),
  page: 'docs/permissions.md',
};
