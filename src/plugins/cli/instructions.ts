// What a model should know of the plugin before it uses it.

export const instructions = `You can run commands on this machine with cli_based_tool.
- Plain words joined by &&, ||, ;, | or newlines can be allowed by rules, and then run at once, without a shell, in a sandbox: the project can be read and changed, there is no network. Everything else (variables, globs, redirections, substitutions, cd, loops) has to be approved by a person each time: avoid it where you can. Quote texts in '…'.
- args are taken literally and quoted for you: put file names and texts of others there.
- Every command starts in the project folder again. Use cwd for another folder instead of cd.
- stdin is empty and nobody can answer questions: use options such as --yes or --no-pager. The environment holds no secrets of the host.
- returncode 0 is success; 128 and more is a signal, such as 137 (killed) or 143 (terminated). Read stderr before you try again.
- Long output is cut in the middle (truncated, truncation_message): narrow it with grep, head or tail.
- A command that takes longer than some seconds goes on in the background, and you get a task_id. Look at it with cli_task_status (wait lets you wait for its end), end it with cli_task_cancel, see all with cli_task_list. Start servers and watchers with background: true. What a command leaves running with & is ended with it.`;
