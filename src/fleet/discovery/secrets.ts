// Literal secrets in a configuration entry, and the entry without them.
import { bareSecrets, secretsInAddress, secretsInJson } from '../../secrets/secret-parts.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { isHarmless, isSecret, isSecretValue, MASK } from '../../secrets/secret-shapes.ts';
import type { PluginEntry } from './config-file.ts';

/** Places of literal secrets in the entry: `env.TOKEN`, `args[2]`. A guess that prefers one too many. */
export function secretsIn(entry: PluginEntry): string[] {
  const named = (where: string, values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values)
      .filter(([name, value]) => isSecret(name, value))
      .map(([name]) => `${where}.${name}`);
  return [
    ...named('env', entry.env),
    ...named('headers', entry.headers),
    ...(isLiteral(entry.oauth?.clientSecret) ? ['oauth.clientSecret'] : []),
    ...secretArguments(entry.args ?? []).map((index) => `args[${index}]`),
    ...(entry.url !== undefined && maskedUrl(entry.url) !== entry.url ? ['url'] : []),
    ...(entry.config !== undefined &&
    JSON.stringify(maskedConfig(entry.config)) !== JSON.stringify(entry.config)
      ? ['config']
      : []),
  ];
}

/** The same, as values: without prefixes such as `Bearer`. */
export function secretsWritten({ env, headers, oauth, args = [], url, config }: PluginEntry): string[] {
  const named = (values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).flatMap(([name, value]) => (isSecret(name, value) ? bareSecrets(value) : []));
  return [
    ...named(env),
    ...named(headers),
    ...(oauth?.clientSecret === undefined ? [] : [oauth.clientSecret]),
    ...secretArguments(args).flatMap((index) => bareSecrets((args[index] ?? '').replace(OPTION, ''))),
    ...(url === undefined ? [] : secretsInAddress(url)),
    ...(config === undefined ? [] : secretsInJson(config)),
  ].filter((value) => isSecretValue(value, true));
}

/** The entry for display: possible secrets are `***`. References are shown. */
export function maskedEntry(entry: PluginEntry): PluginEntry {
  const { env, headers, oauth, args, url, config } = entry;
  const masked = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        isHarmless(value) && !isSecret(name, value) ? value : MASK,
      ]),
    );
  const secretArgs = new Set(secretArguments(args ?? []));
  return {
    ...entry,
    ...(env !== undefined && { env: masked(env) }),
    ...(headers !== undefined && { headers: masked(headers) }),
    ...(isLiteral(oauth?.clientSecret) && { oauth: { ...oauth, clientSecret: MASK } }),
    ...(args !== undefined && {
      args: args.map((arg, index) => (secretArgs.has(index) ? maskedArgument(arg) : arg)),
    }),
    ...(url !== undefined && { url: maskedUrl(url) }),
    // Masking keeps an object an object.
    ...(config !== undefined && { config: maskedConfig(config) as JsonObject }),
  };
}

/** The value has more than references. */
function isLiteral(value: string | undefined): boolean {
  return value !== undefined && !isHarmless(value);
}

/** The value after `--token`, `--token=value`, or what looks like one. */
function secretArguments(args: readonly string[]): number[] {
  return args.flatMap((arg, index) => {
    const before = args[index - 1] ?? '';
    const [, name, value] = /^-{0,2}([\w-]+)[=:](.*)$/s.exec(arg) ?? [];
    const isNamed = name !== undefined && isSecret(name, value ?? '');
    const isAfter =
      /^--?[\w-]+$/.test(before) && !arg.startsWith('-') && isSecret(before.replace(/^-+/, ''), arg);
    return isNamed || isAfter || isSecret('', arg) ? [index] : [];
  });
}

function maskedArgument(arg: string): string {
  const [name] = OPTION.exec(arg) ?? [];
  return name !== undefined && !arg.includes('://') ? `${name}${MASK}` : MASK;
}

const OPTION = /^-{0,2}[\w-]+[=:](?!\/\/)/;
const QUERY = /([?&])([^=&#?]+)=([^&#]*)/g;

function maskedUrl(url: string): string {
  return url
    .replace(/^([a-z][\w+.-]*:\/\/)[^/\s]+@/i, `$1${MASK}@`)
    .replaceAll(QUERY, (whole, mark: string, name: string, value: string) =>
      isSecret(name, value) ? `${mark}${name}=${MASK}` : whole,
    );
}

function maskedConfig(value: Json, name = ''): Json {
  if (typeof value === 'string') return isSecret(name, value) ? MASK : value;
  // The items of a list count under the name of the list.
  if (Array.isArray(value)) return value.map((one: Json) => maskedConfig(one, name));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskedConfig(one, key)]));
}
