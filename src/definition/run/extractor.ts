// The extractor of a definition: which files it takes, and what is in one.
import path from 'node:path';
import { isJsonObject } from '../../base/json.ts';
import { late, within } from '../../base/within.ts';
import type { Backend } from '../backend.ts';
import { declaredBy } from '../declared-type.ts';
import type { ExtractorDefinition } from '../definition.ts';
import type { ExtractSource, FileType, Support } from '../extraction.ts';
import { Failure, failureOf } from '../failure.ts';
import type { AnswerContent } from '../outcome.ts';
import { contentOf } from './content-of.ts';
import type { RunJob } from './job.ts';
import type { Surroundings } from './surroundings.ts';

type Ports = Pick<Surroundings, 'readFile' | 'clock' | 'log'>;

export function extractorOf(
  plugin: string,
  extractor: ExtractorDefinition,
  ports: Ports,
  run: RunJob,
): NonNullable<Backend['extractor']> {
  const what = `The extractor of plugin "${plugin}"`;
  return {
    supports: (type) => supportOf(extractor, type, ports),
    extract: (source, type, options, around, sink) =>
      run(
        {
          what,
          around,
          start: async (context) => {
            const known = typeOf(source, type);
            // Of a type that nobody knows, only the attempt can tell.
            const isKnown = known.mimeType !== undefined || known.extension !== undefined;
            if (isKnown && !(await supportOf(extractor, known, ports)).supported)
              throw unsupported(what, extractor, known);
            const read = async () => (source.kind === 'bytes' ? source.bytes : ports.readFile(source.path));
            return extractor.extract({ source, read, type: known, options }, context);
          },
          read: (returned) => extractionOf(returned, what),
        },
        sink,
      ),
  };
}

/** Hosts give up on this question after 3 s. */
const SUPPORT_MS = 2500;

/** An author's own `supports` that fails, or takes too long, leaves it to formats and extensions. */
async function supportOf(extractor: ExtractorDefinition, type: FileType, ports: Ports): Promise<Support> {
  const { supports } = extractor;
  if (supports === undefined) return usualSupport(extractor, type);
  try {
    const told = await within((async () => supports(type))(), SUPPORT_MS, ports.clock);
    if (told !== late) return typeof told === 'object' ? told : { supported: told, confidence: told ? 1 : 0 };
    ports.log({ level: 'warn', message: `supports() takes longer than ${SUPPORT_MS} ms.` });
  } catch (thrown) {
    ports.log({ level: 'warn', message: `supports() failed: ${failureOf(thrown).message}` });
  }
  return usualSupport(extractor, type);
}

function usualSupport(extractor: ExtractorDefinition, type: FileType): Support {
  const method = declaredBy(extractor, type);
  if (method === undefined) return { supported: false, confidence: 0 };
  return { supported: true, confidence: method === 'mime_type' ? 1 : 0.9, method };
}

/** A path tells its extension where nothing else does. */
function typeOf(source: ExtractSource, type: FileType): FileType {
  if (source.kind !== 'path' || type.extension !== undefined) return type;
  const extension = path.extname(source.path);
  return extension === '' ? type : { ...type, extension };
}

function unsupported(what: string, { formats, extensions }: ExtractorDefinition, type: FileType): Failure {
  const given = [type.mimeType, type.extension].filter((word) => word !== undefined).join(', ');
  return new Failure({
    code: 'UNSUPPORTED',
    message: `${what} takes ${[...formats, ...extensions].join(', ')}; got ${given || 'a file of unknown type'}.`,
    reason: 'UnsupportedFormat',
    data: { supported_formats: [...formats] },
  });
}

/** Authors return the text, or an object with the text and whatever else they found. */
function extractionOf(returned: unknown, what: string): AnswerContent {
  const content = contentOf(returned, what);
  if (content.text !== undefined || !isJsonObject(content.data)) return content;
  const { text, ...rest } = content.data;
  if (typeof text !== 'string') return content;
  return Object.keys(rest).length === 0 ? { text } : { text, data: rest };
}
