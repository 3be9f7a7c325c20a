// The extractors of the plugins as one: each file goes to the one that is surest of it.
import type { Backend } from '../../definition/backend.ts';
import type { FileType, Support } from '../../definition/extraction.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import type { Plugin } from '../plugin/plugin.ts';
import { askWhenFound, optionsFor, type Ask } from './pass-on.ts';

export function extractorOf(plugins: readonly Plugin[], ask: Ask): Backend['extractor'] {
  const extractors = plugins.filter(({ manifest }) => manifest?.extractor !== undefined);
  const [first, ...others] = extractors;
  if (first === undefined) return undefined;
  return {
    async supports(type) {
      return (await surest(extractors, type)).support;
    },
    extract(source, type, options, around, sink) {
      const extract = (plugin: Plugin) => plugin.extract(source, type, options, optionsFor(plugin, around));
      // Where there is no choice, the plugin itself says what it does not take.
      if (others.length === 0) return ask(() => extract(first), sink);
      const found = surest(extractors, type).then(({ plugin }) =>
        plugin === undefined ? unsupported(type) : () => extract(plugin),
      );
      return askWhenFound(ask, found, sink);
    },
  };
}

async function surest(
  extractors: readonly Plugin[],
  type: FileType,
): Promise<{ readonly plugin?: Plugin; readonly support: Support }> {
  const asked = await Promise.all(
    extractors.map(async (plugin) => ({ plugin, support: await supportOf(plugin, type) })),
  );
  const [best] = asked
    .filter(({ support }) => support.supported)
    .toSorted((one, other) => other.support.confidence - one.support.confidence);
  return best ?? { support: none };
}

/** Who cannot be asked takes nothing. */
async function supportOf(plugin: Plugin, type: FileType): Promise<Support> {
  try {
    return await plugin.supports(type);
  } catch {
    return none;
  }
}

const none: Support = { supported: false, confidence: 0 };

function unsupported({ mimeType, extension }: FileType): CallFailure {
  const what = [mimeType, extension].filter((part) => part !== undefined).join(', ') || 'an unknown type';
  return { code: 'UNSUPPORTED', message: `No plugin takes files of ${what}.`, reason: 'UnsupportedFormat' };
}
