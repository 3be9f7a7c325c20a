// `pluglot completion SHELL`: the script a shell loads once; it asks `pluglot __complete` at every TAB, which starts no plugin.
import { ExitCode } from '../exit-code.ts';
import type { CommandContext } from './context.ts';

export async function completion({ out }: CommandContext, shell: string): Promise<ExitCode> {
  out.text(scripts[shell as keyof typeof scripts]);
  return Promise.resolve(ExitCode.ok);
}

/**
 * Each hands over the words before the cursor, the last of them as far as it is typed, and falls back to files. zsh loads its script as the
 * body of the function that it is to define, at the first TAB: then it has to complete at once.
 */
const scripts = {
  bash: `_pluglot() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(pluglot __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _pluglot pluglot
`,
  zsh: `#compdef pluglot
_pluglot() {
  local -a names
  names=("\${(@f)$(pluglot __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$names[1]" ]]; then compadd -- "\${names[@]}"; else _files; fi
}
if [ "$funcstack[1]" = "_pluglot" ]; then _pluglot "$@"; else compdef _pluglot pluglot; fi
`,
  fish: `function __pluglot_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l names (pluglot __complete -- $words[2..-1] 2>/dev/null)
  if test (count $names) -gt 0
    printf '%s\\n' $names
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c pluglot -f -a '(__pluglot_complete)'
`,
};
