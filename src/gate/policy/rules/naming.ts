// Whether a rule means just this one: its name is written out, or that of its plugin. `*` means nobody.

export function isNaming(rule: string, names: readonly string[], plugin: string): boolean {
  return names.includes(rule) || rule.startsWith(`${plugin}__`);
}
