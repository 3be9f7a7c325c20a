// The content of a source, whatever its type.
import path from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { toError } from '../../../base/error.ts';
import type { HostPorts } from '../../host-ports.ts';
import type { ReferencesConfig } from '../settings.ts';
import type { Source } from '../source.ts';
import { bounded, none, type Content, type GetContent, type GetOptions } from './content.ts';
import { localContent } from './local-content.ts';
import { mcpContent } from './mcp-content.ts';
import { urlContent, type UrlOptions } from './url-content.ts';

export interface ContentParts {
  readonly config: ReferencesConfig;
  readonly ports: Pick<HostPorts, 'cwd' | 'fetch' | 'findTool' | 'gate'>;
  readonly clock: Clock;
  readonly addressesOf?: UrlOptions['addressesOf'];
}

export function contentGetter(parts: ContentParts): GetContent {
  return async (source, options) => {
    try {
      return await get(source, options, parts);
    } catch (thrown) {
      return none(`it could not be read (${toError(thrown).message})`);
    }
  };
}

function get(
  source: Source,
  { signal, mayAsk }: GetOptions,
  { config, ports, clock, addressesOf }: ContentParts,
): Promise<Content> | Content {
  const maxChars = config.max_source_chars;
  switch (source.type) {
    case 'local': {
      const { folder } = source;
      return localContent(source.path, {
        folder,
        maxChars,
        roots: [folder, ports.cwd, ...config.allowed_roots.map((root) => path.resolve(ports.cwd, root))],
      });
    }
    case 'url':
      if (!config.fetch_urls) return none('pages are not fetched here');
      return urlContent(source.url, {
        fetch: ports.fetch,
        clock,
        signal,
        timeoutMs: config.url_timeout * 1000,
        maxChars,
        allowPrivate: config.allow_private_addresses,
        ...(addressesOf === undefined ? {} : { addressesOf }),
      });
    case 'mcp':
      return mcpContent(source, {
        signal,
        mayAsk,
        maxChars,
        timeoutMs: config.mcp_timeout * 1000,
        findTool: (name) => ports.findTool(name),
        gate: () => ports.gate(),
      });
    case 'inline':
      return bounded(source.content, maxChars);
  }
}
