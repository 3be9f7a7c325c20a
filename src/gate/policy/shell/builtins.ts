// What only a shell can do: there is no such program, or not one that would do the same.

export function needsShell(name: string): boolean {
  return builtins.has(name);
}

const builtins = new Set(
  (
    '. : alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown enable ' +
    'eval exec exit export fc fg getopts hash help history jobs let local logout mapfile popd pushd read readarray ' +
    'readonly return set shift shopt source suspend times trap type typeset ulimit umask unalias unset wait'
  ).split(' '),
);
