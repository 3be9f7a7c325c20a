// What the built-in plugins are called, for those who do not load them. A test compares it with what there is.

export const builtInNames: readonly string[] = [
  'cli',
  'mcp',
  'web_search',
  'todo',
  'references',
  'permission',
];

/** Those that can do whatever the user can: clients are offered them only where they are configured so. */
export const offForClients: ReadonlySet<string> = new Set(['cli']);
