// Names of plugins: what a person can type, a folder can be called, and a log can show.

/** The same as in schemas/pluglot.schema.json. */
const allowed = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u;

export function isPluginName(name: string): boolean {
  return allowed.test(name);
}

/** The name that a plugin of another program's configuration, or of a folder, gets here; undefined when nothing of it can be kept. */
export function pluginName(given: string): string | undefined {
  const name = given
    .slice(0, 256)
    .replaceAll(/[^\p{L}\p{N}_.-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .replace(/-+$/, '');
  const cut = Array.from(name).slice(0, 64).join('');
  return allowed.test(cut) ? cut : undefined;
}
