// Gets the content of a source, as much of it as may be shown.
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { jsonText } from '../../base/text.ts';
import type { Caller } from '../../definition/caller.ts';
import { fullName } from '../../definition/plugin-spec.ts';
import type { Gate } from '../../gate/gate.ts';
import type { HostPorts } from '../host-ports.ts';
import { localContent } from './local-content.ts';
import type { ReferencesConfig } from './settings.ts';
import { bounded, none, type Content, type Source } from './source.ts';
import { urlContent, type UrlOptions } from './url-content.ts';

export interface ContentParts {
  readonly config: ReferencesConfig;
  readonly ports: Pick<HostPorts, 'cwd' | 'fetch' | 'findTool' | 'gate'>;
  readonly clock: Clock;
  readonly addressesOf?: UrlOptions['addressesOf'];
}

interface GetOptions {
  readonly signal: AbortSignal;
  /** Whether the user may be asked for permission. */
  readonly mayAsk: boolean;
}

/** Never rejects. */
export async function contentOf(source: Source, options: GetOptions, parts: ContentParts): Promise<Content> {
  try {
    return await read(source, options, parts);
  } catch (thrown) {
    return none(`it could not be read (${toError(thrown).message})`);
  }
}

function read(
  source: Source,
  { signal, mayAsk }: GetOptions,
  { config, ports, clock, addressesOf }: ContentParts,
): Promise<Content> | Content {
  const maxChars = config.max_source_chars;
  switch (source.type) {
    case 'local': {
      const { folder } = source;
      const roots = [folder, ports.cwd, ...config.allowed_roots.map((root) => path.resolve(ports.cwd, root))];
      return localContent(source.path, { folder, maxChars, roots });
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
        addressesOf,
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

export interface McpOptions extends GetOptions, Pick<HostPorts, 'findTool' | 'gate'> {
  readonly timeoutMs: number;
  readonly maxChars: number;
}

const caller: Caller = { kind: 'job', name: 'references' };

export async function mcpContent(
  { server, tool, args }: { readonly server: string; readonly tool: string; readonly args: JsonObject },
  options: McpOptions,
): Promise<Content> {
  const name = exposedName(server, tool, options);
  const gate = name === undefined ? undefined : gateOf(options);
  if (name === undefined || gate === undefined)
    return none(`the tool "${tool}" of the server "${server}" is not available; connect the server`);
  if (!options.mayAsk) {
    const verdict = await gate.check(name, args, caller);
    if (verdict.kind !== 'allow')
      return none(`a call of "${name}" has to be allowed by the user (${verdict.reason})`);
  }
  const { timeoutMs, signal, maxChars } = options;
  const outcome = await gate.call(name, args, { caller, timeoutMs, signal });
  if (!outcome.ok) return none(`"${name}" failed: ${outcome.error.message}`);
  const text = outcome.text ?? (outcome.data === undefined ? '' : jsonText(outcome.data));
  return text.trim() === '' ? none(`"${name}" answered with nothing`) : bounded(text, maxChars);
}

/** The tool of this server: another server may have one of the same name. */
export function exposedName(
  server: string,
  tool: string,
  { findTool }: Pick<HostPorts, 'findTool'>,
): string | undefined {
  const servers = [server, server.replaceAll(/[^\w-]/g, '_')];
  const owner = servers.find((one) => findTool(fullName(one, tool))?.plugin === one);
  return owner && fullName(owner, tool);
}

/** The gate is created after the plugins. */
function gateOf({ gate }: Pick<McpOptions, 'gate'>): Gate | undefined {
  try {
    return gate();
  } catch {
    return undefined;
  }
}
