// `pluglot completion SHELL`: the script a shell loads once; it asks `pluglot __complete` at every TAB, which starts no plugin.
import { fileURLToPath } from 'node:url';
import { shellWord } from '../../../base/shell-word.ts';
import { ExitCode } from '../exit-code.ts';
import type { CommandContext } from './context.ts';

export async function completion({ out }: CommandContext, shell: string): Promise<ExitCode> {
  const own = [process.execPath, fileURLToPath(new URL('../main.js', import.meta.url))]
    .map(shellWord)
    .join(' ');
  out.text(scripts[shell as keyof typeof scripts].replaceAll('OWN', () => own));
  return Promise.resolve(ExitCode.ok);
}

/**
 * Each asks the program `pluglot`, or where none is installed (npx) the one that has printed it. Each hands over the words before the cursor, the last of them as far as it is typed, and falls back to files. zsh loads its script as the
 * body of the function that it is to define, at the first TAB: then it has to complete at once.
 */
const scripts = {
  bash: `_pluglot_names() {
  case "$(type -t pluglot)" in
    file | function) pluglot __complete -- "$@" ;;
    *) OWN __complete -- "$@" ;;
  esac 2>/dev/null
}
_pluglot() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(_pluglot_names "\${COMP_WORDS[@]:1:COMP_CWORD}")
}
complete -o default -F _pluglot pluglot
`,
  zsh: `#compdef pluglot
_pluglot_names() {
  if (( $+commands[pluglot] || $+functions[pluglot] )); then pluglot __complete -- "$@"
  else OWN __complete -- "$@"; fi 2>/dev/null
}
_pluglot() {
  local -a names
  names=("\${(@f)$(_pluglot_names "\${(@)words[2,CURRENT]}")}")
  if [[ -n "$names[1]" ]]; then compadd -- "\${names[@]}"; else _files; fi
}
if [ "$funcstack[1]" = "_pluglot" ]; then _pluglot "$@"; else compdef _pluglot pluglot; fi
`,
  fish: `function __pluglot_names
  if type -q pluglot
    pluglot __complete -- $argv 2>/dev/null
  else
    OWN __complete -- $argv 2>/dev/null
  end
end
function __pluglot_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l names (__pluglot_names $words[2..-1])
  if test (count $names) -gt 0
    printf '%s\\n' $names
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c pluglot -f -a '(__pluglot_complete)'
`,
};
