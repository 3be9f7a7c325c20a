// Which sources there are: those of the configuration, else those of the first file that is there and may be used.
import path from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { MiB } from '../../base/limits.ts';
import { shellWord } from '../../base/shell-word.ts';
import { sentence } from '../../base/sentence.ts';
import { readJson } from '../../fleet/discovery/json-reader.ts';
import { placeOf } from '../../fleet/discovery/text-places.ts';
import { readTextFile } from '../../fleet/trust/regular-file.ts';
import type { HostPorts } from '../host-ports.ts';
import { readSources } from './read-sources.ts';
import type { ReferencesConfig } from './settings.ts';
import type { Source } from './source.ts';

export interface Catalog {
  readonly sources: readonly Source[];
  /** What the file says of the channel; not checked yet. */
  readonly channel: JsonObject;
  /** Sentences with the way out, for people, models and the log. */
  readonly problems: readonly string[];
}

export type CatalogPorts = Pick<HostPorts, 'env' | 'cwd' | 'configFolder' | 'isTrusted'>;

const FILE_LIMIT = MiB;

export async function loadCatalog(
  config: Pick<ReferencesConfig, 'config_path' | 'sources'>,
  ports: CatalogPorts,
): Promise<Catalog> {
  const file = await firstFile(config.config_path, ports);
  const { channel, problems } = file;
  if (config.sources === undefined) return file;
  const own = readSources(config.sources, 'The configuration', ports.cwd);
  return { sources: own.sources, channel, problems: [...problems, ...own.problems] };
}

interface Candidate {
  readonly file: string;
  /** The user has named it: then it has to be there. */
  readonly isNamed?: boolean;
  /** A cloned project brings its own files, and they are told to models as they are. */
  readonly isOfProject?: boolean;
}

async function firstFile(named: string | undefined, ports: CatalogPorts): Promise<Catalog> {
  const problems: string[] = [];
  for (const { file, isNamed, isOfProject } of candidates(named, ports)) {
    const reading = await readTextFile(file, FILE_LIMIT);
    if (reading.kind === 'absent') {
      if (isNamed)
        problems.push(`${file} is not there, so there are no reference sources of it. Correct the path.`);
    } else if (reading.kind === 'unreadable') {
      problems.push(`${file} ${reading.reason}, so it is left out.`);
    } else if (isOfProject && !(await ports.isTrusted(file, reading.sha256))) {
      problems.push(
        `${file} is not trusted, or has changed since it was, so its reference sources are left out. Read it, then: pluglot trust add ${shellWord(ports.cwd)}`,
      );
    } else {
      const parsed = parse(file, reading.text);
      return { ...parsed, problems: [...problems, ...parsed.problems] };
    }
    if (isNamed) break;
  }
  return { sources: [], channel: {}, problems };
}

function candidates(named: string | undefined, { env, cwd, configFolder }: CatalogPorts): Candidate[] {
  const chosen = named ?? env['REFERENCES_CONFIG_PATH'];
  if (chosen !== undefined && chosen !== '') return [{ file: path.resolve(cwd, chosen), isNamed: true }];
  return [
    { file: path.join(cwd, 'references.json'), isOfProject: true },
    { file: path.join(cwd, '.references.json'), isOfProject: true },
    { file: path.join(configFolder, 'references.json') },
  ];
}

function parse(file: string, text: string): Catalog {
  const nothing = { sources: [], channel: {} };
  const reading = readJson(text, { syntax: 'jsonc' });
  if (!reading.ok) {
    const { line } = placeOf(text, reading.offset);
    return {
      ...nothing,
      problems: [
        `${file}:${line} is no JSON: ${sentence(reading.reason)} Correct the line; until then the file is left out.`,
      ],
    };
  }
  const { value } = reading.root;
  if (!isJsonObject(value))
    return { ...nothing, problems: [`${file} is no object with "sources", so it is left out.`] };
  const { version, sources, channel = value['actor'] } = value;
  if (version !== undefined && version !== '1.0' && version !== '1' && version !== 1)
    return {
      ...nothing,
      problems: [`${file} has the version ${JSON.stringify(version)}; expected "1.0". It is left out.`],
    };
  const read = readSources(sources, file, path.dirname(file));
  return { ...read, channel: isJsonObject(channel) ? channel : {} };
}
