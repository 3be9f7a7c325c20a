// Names of plugins: what a person can type, a folder can be called, and a log can show.

/** The same as in schemas/pluglot.schema.json. */
const allowed = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u;

export function isPluginName(name: string): boolean {
  return allowed.test(name);
}
