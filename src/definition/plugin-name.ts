// Names of plugins: what a person can type, a folder can be called, and a log can show.

/** The same as in schemas/pluglot.schema.json. Tools are called `plugin__tool`, so where the plugin ends must be clear. */
const allowed = /^[\p{L}\p{N}](?:[\p{L}\p{N}.-]|_(?!_|$)){0,63}$/u;

export function isPluginName(name: string): boolean {
  return allowed.test(name);
}

/** What is expected, for messages. */
export const PLUGIN_NAME =
  'up to 64 letters, digits, dots, dashes and underscores, a letter or digit first, without "__" and without "_" at the end, which divide plugin__tool';
