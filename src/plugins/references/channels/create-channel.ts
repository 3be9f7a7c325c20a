// The channel that the configuration names, else the file with the sources, else the console.
import path from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { sentence } from '../../../base/sentence.ts';
import { fail } from '../../../definition/failure.ts';
import type { HostPorts } from '../../host-ports.ts';
import { problemOfEndpoint } from '../../../base/post-json.ts';
import type { ReferencesConfig } from '../settings.ts';
import type { SelectionChannel } from './channel.ts';
import { consoleChannel } from './console-channel.ts';
import { fileChannel } from './file-channel.ts';
import { webhookChannel } from './webhook-channel.ts';

export interface ChannelParts {
  readonly ports: Pick<HostPorts, 'env' | 'cwd' | 'fetch' | 'person' | 'print' | 'now'>;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  /** Made when it is looked at. */
  readonly dataFolder: () => string;
}

/** @param inFile what the file says, unchecked */
export function createChannel(
  config: ReferencesConfig,
  inFile: JsonObject,
  parts: ChannelParts,
): SelectionChannel {
  const { ports, clock, warn } = parts;
  const type = config.channel_type ?? config.actor_type ?? inFile['type'] ?? 'console';
  const said: Readonly<Record<string, Json | undefined>> = {
    ...inFile,
    ...config.actor_config,
    ...config.channel_config,
  };
  const timeoutMs = secondsIn(said, 'timeout', type === 'console' ? 60 : 300) * 1000;
  switch (type) {
    case 'console':
      return consoleChannel(
        { timeoutMs },
        { person: ports.person, print: (line) => ports.print(line), clock },
      );
    case 'webhook': {
      const endpoint = textIn(said, 'endpoint');
      const problem = problemOfEndpoint(endpoint);
      if (endpoint === undefined || problem !== undefined)
        return refuse(`the channel is no webhook: ${problem}`);
      const token = textIn(said, 'auth_token') ?? ports.env['REFERENCES_WEBHOOK_TOKEN'];
      return webhookChannel(
        { endpoint, timeoutMs, headers: headersIn(said), token },
        { fetch: ports.fetch, clock, warn },
      );
    }
    case 'file': {
      const base = textIn(said, 'base_path');
      const basePath =
        base === undefined ? path.join(parts.dataFolder(), 'selection') : path.resolve(ports.cwd, base);
      const pollMs = secondsIn(said, 'poll_interval', 0.5) * 1000;
      return fileChannel({ basePath, timeoutMs, pollMs }, { clock, now: ports.now, warn });
    }
    default:
      return refuse(`the type of the channel is ${shown(type)}; expected "console", "webhook" or "file"`);
  }
}

function secondsIn(said: Readonly<Record<string, Json | undefined>>, key: string, otherwise: number): number {
  const value = said[key] ?? otherwise;
  if (typeof value === 'number' && value > 0 && value <= 3600) return value;
  return refuse(`${key} of the channel is ${shown(value)}; expected seconds, more than 0 and at most 3600`);
}

function textIn(said: Readonly<Record<string, Json | undefined>>, key: string): string | undefined {
  const value = said[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function headersIn(said: Readonly<Record<string, Json | undefined>>): Record<string, string> {
  const { headers } = said;
  if (!isJsonObject(headers)) return {};
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : shown(value)]),
  );
}

function refuse(problem: string): never {
  return fail({
    code: 'INVALID_ARGUMENTS',
    message: `References cannot be chosen like this: ${sentence(problem)}`,
  });
}
