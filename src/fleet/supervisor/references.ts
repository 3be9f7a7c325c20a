// Replaces references in configuration: `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `${file:PATH}` and `${plugin_dir}`.
import fs from 'node:fs';
import path from 'node:path';
import { PluglotError, toError } from '../../base/error.ts';
import { replaceReferencesIn } from '../../secrets/secret-shapes.ts';

export interface ReferenceSources {
  /** The name of the plugin, for errors. */
  readonly plugin: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the plugin; relative files of `${file:…}` start there. */
  readonly pluginFolder: string;
}

/**
 * The text with its references replaced; `$${` gives a plain `${`. Errors never contain values.
 * @param where names the place in errors, such as `env.TOKEN`
 * @throws PluglotError CONFIG_INVALID
 */
export function replaceReferences(text: string, where: string, sources: ReferenceSources): string {
  return replaceReferencesIn(text, /(\$?)\$\{([^}]*)\}/g, (whole, escaped, inner = '') =>
    escaped === '' ? valueOf(inner, where, sources) : whole.slice(1),
  );
}

/** The same for commands and arguments, where a shell script may use `${VAR}` itself: only unambiguous references are replaced. */
export function replaceOwnReferences(text: string, where: string, sources: ReferenceSources): string {
  return replaceReferencesIn(text, /\$\{(plugin_dir|env:[^}]*)\}/g, (_, inner = '') =>
    valueOf(inner, where, sources),
  );
}

/** A value that a text refers to, with its name: of a variable, or of a file with `file:` before it. */
export interface Referred {
  readonly name: string;
  readonly value: string;
}

/**
 * Missing values are left out: replacing them reports the error.
 * @param forms which references are replaced in such a text
 */
export function referredIn(
  text: string,
  sources: ReferenceSources,
  forms: 'all' | 'env-only',
): readonly Referred[] {
  const found: Referred[] = [];
  replaceReferencesIn(text, /(\$?)\$\{([^}]*)\}/g, (whole, escaped, inner = '') => {
    const isMeant = forms === 'all' ? escaped === '' && inner !== 'plugin_dir' : inner.startsWith('env:');
    if (isMeant) found.push(...valuesOf(inner, sources));
    return whole;
  });
  return found;
}

function valuesOf(inner: string, sources: ReferenceSources): Referred[] {
  try {
    const name = inner.startsWith('file:') ? inner : (variableIn(inner)?.name ?? '');
    return [{ name, value: valueOf(inner, '', sources) }];
  } catch {
    return [];
  }
}

/** A variable of the environment, with its default. */
export interface Variable {
  readonly name: string;
  readonly fallback?: string | undefined;
}

/** The variable in `NAME`, `env:NAME` and `NAME:-default`; undefined for anything else. */
export function variableIn(inner: string): Variable | undefined {
  const [, name, fallback] = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) ?? [];
  return name === undefined ? undefined : { name, fallback };
}

/** As in a shell, a default replaces an empty variable. Undefined if there is neither. */
export function valueOfVariable(
  { name, fallback }: Variable,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value === undefined || value === '' ? (fallback ?? value) : value;
}

function valueOf(inner: string, where: string, sources: ReferenceSources): string {
  if (inner === 'plugin_dir') return sources.pluginFolder;
  if (inner.startsWith('file:')) return fileContent(inner.slice('file:'.length), where, sources);
  const variable = variableIn(inner);
  if (variable === undefined) {
    return fail(
      sources,
      `${where} has \${${inner}}, which is not a reference. Known are \${VAR}, \${VAR:-default}, \${env:VAR}, \${file:PATH} and \${plugin_dir}; $\${ stands for a plain \${.`,
    );
  }
  const { name } = variable;
  return (
    valueOfVariable(variable, sources.env) ??
    fail(
      sources,
      `${where} refers to \${${inner}}, and the variable ${name} is not set. Set it, or give a default: \${${inner}:-…}`,
    )
  );
}

/** A secret is small; a larger file is a mistake. */
const FILE_MAX = 64 * 1024;

function fileContent(name: string, where: string, sources: ReferenceSources): string {
  const home = sources.env['HOME'] ?? '';
  const file = path.resolve(
    sources.pluginFolder,
    name.replace(/^~(?=\/)/, () => home),
  );
  try {
    const stat = fs.statSync(file);
    if (!stat.isFile()) throw new Error('it is not a file');
    if (stat.size > FILE_MAX) throw new Error(`it has ${stat.size} bytes, and ${FILE_MAX} are the limit`);
    return fs.readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (thrown) {
    return fail(
      sources,
      `${where} refers to \${file:${name}}, and ${file} cannot be read: ${toError(thrown).message}`,
    );
  }
}

function fail({ plugin }: ReferenceSources, what: string): never {
  throw new PluglotError('CONFIG_INVALID', `Plugin "${plugin}": ${what}`);
}
