// What of a spec nobody may see, as values: what it refers to, and what is written in it and looks like a secret.
import fs from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import { withTexts } from '../../base/masked-json.ts';
import { secretsInJson } from '../../base/secret-parts.ts';
import { isSecretName } from '../../base/secret-shapes.ts';
import { isSecretValue, secretValues } from '../../base/secret-values.ts';
import type { PluginSpec, ProgramSpec } from '../../definition/plugin-spec.ts';
import { secretsWritten } from '../discovery/secrets.ts';
import { allowedEnvironment } from './environment.ts';
import { referredIn, type Referred } from './references.ts';

interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
}

/** As they are now: variables and files may be others at the next start. */
export function secretsOfSpec(spec: PluginSpec, host: Host): readonly string[] {
  const { name, start, config, secrets = [] } = spec;
  const entry = { ...start, ...(config !== undefined && { config }) };
  const referred = start.kind === 'program' ? referredBy(name, start, host) : [];
  return withoutPlaces([...secrets, ...referred, ...secretsWritten(entry)], host.env);
}

/** What a plugin in this process is told, and what that refers to. */
export function secretsOfConfig(config: JsonObject, host: Host): readonly string[] {
  const found = secretsInJson(config);
  const sources = { plugin: '', env: host.env, pluginFolder: host.folder };
  withTexts(config, (text) => {
    for (const { name, value } of referredIn(text, sources, 'all'))
      if (isSecretValue(value.trim(), isSecretName(name) || name.startsWith('file:'))) found.push(value);
    return text;
  });
  return withoutPlaces(found, host.env);
}

/** Of variables of the host whose names say so, whether or not a plugin gets to see them. */
export function secretsOfHost(env: Host['env']): readonly string[] {
  return withoutPlaces(secretValues(env), env);
}

function referredBy(plugin: string, { env = {}, args = [], folder }: ProgramSpec, host: Host): string[] {
  const sources = { plugin, env: host.env, pluginFolder: folder ?? host.folder };
  const secretsAmong = (key: string, referred: readonly Referred[]) =>
    referred.flatMap(({ name, value }) => {
      // What lies in a file of its own is one.
      const isNamed = isSecretName(key) || isSecretName(name) || name.startsWith('file:');
      return isSecretValue(value.trim(), isNamed) ? [value] : [];
    });
  return [
    ...Object.entries(env).flatMap(([key, text]) => secretsAmong(key, referredIn(text, sources, 'all'))),
    ...args.flatMap((text) => secretsAmong('', referredIn(text, sources, 'env-only'))),
  ];
}

/** What every program may know is no secret, and neither is where something is. */
function withoutPlaces(values: readonly string[], env: Host['env']): string[] {
  const allowed = new Set(Object.values(allowedEnvironment(env)));
  return values.filter((value) => !allowed.has(value) && !isPlace(value));
}

function isPlace(value: string): boolean {
  const parts = value.split(path.delimiter);
  return parts.every((part) => path.isAbsolute(part)) && parts.some((part) => fs.existsSync(part));
}
