// Which variables a script may set for itself, without a rule that names them.

/** Written small, and none of the few such that programs go by. */
export function isOwnVariable(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name) && !name.startsWith('npm_') && !name.endsWith('_proxy');
}
