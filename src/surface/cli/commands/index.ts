// All commands, in the order of the help. A command's file has its options and what it does; it is loaded when the command is used.
import type { Command } from 'commander';
import type { DeclareCommand, Invocation } from '../command.ts';

/** By name. */
interface CommandFile {
  readonly commands: Readonly<Record<string, DeclareCommand>>;
}

type Listed = readonly [name: string, summary: string, load: () => Promise<CommandFile>];

export const groups: Readonly<Record<string, readonly Listed[]>> = {
  'Run plugins:': [
    ['up', 'Start the plugins, the console, the MCP endpoint and the API', () => import('./up.ts')],
    ['status', 'Show plugin status', () => import('./lists.ts')],
    ['plugins', 'List the plugins that are configured or found, and where', () => import('./lists.ts')],
    ['tools', 'List the tools of all plugins, or of the one behind --', () => import('./lists.ts')],
    ['logs', 'Show the log of a plugin', () => import('./lifecycle.ts')],
    ['start', 'Start a plugin of the running `pluglot up`', () => import('./lifecycle.ts')],
    ['stop', 'Stop a plugin of the running `pluglot up`', () => import('./lifecycle.ts')],
    ['restart', 'Restart a plugin of the running `pluglot up`', () => import('./lifecycle.ts')],
  ],
  'Use them:': [
    ['inspect', 'Show what a plugin is and can do', () => import('./inspect.ts')],
    ['call', 'Call a tool', () => import('./call.ts')],
    ['talk', 'Call a tool and talk with its plugin', () => import('./talk.ts')],
    ['run', 'Run a command of a plugin', () => import('./run.ts')],
    ['explain', 'Show which rule decides a call, and why', () => import('./rules.ts')],
    ['audit', 'Show what was called, how it was decided and how it ended', () => import('./audit.ts')],
    ['serve', 'Serve plugins in another dialect on stdio, or as MCP over HTTP', () => import('./serve.ts')],
    ['console', 'Print a one-time link into the console', () => import('./tokens.ts')],
    ['tokens', 'List, create and revoke tokens of clients', () => import('./tokens.ts')],
    ['doctor', 'Find problems with plugins and this machine', () => import('./doctor.ts')],
  ],
  'Write them:': [
    ['new', 'Create a plugin with a test and its manifests', () => import('./new.ts')],
    ['dev', 'Run a plugin while you write it', () => import('./dev.ts')],
    ['check', 'Check how well a plugin follows its protocol', () => import('./check.ts')],
    ['build', 'Bundle a plugin into one file, with its manifests', () => import('./build.ts')],
    ['record', 'Record a conversation with a plugin', () => import('./record.ts')],
    ['replay', 'Replay a recording as a plugin, or compare a plugin with it', () => import('./replay.ts')],
  ],
  'Configure:': [
    ['add', 'Add a plugin to pluglot.json', () => import('./configure.ts')],
    ['remove', 'Remove a plugin from pluglot.json', () => import('./configure.ts')],
    ['import', 'Import MCP servers that other clients have configured', () => import('./import.ts')],
    ['allow', 'Write a rule that allows calls or command lines', () => import('./rules.ts')],
    ['deny', 'Write a rule that denies calls or command lines', () => import('./rules.ts')],
    ['trust', 'Manage which projects and plugin folders may be run', () => import('./trust.ts')],
  ],
  'More:': [
    ['completion', 'Print the shell completion script', () => import('./completion.ts')],
    ['__complete', '', () => import('./completion.ts')],
    ['demo', 'Show the JSON-RPC channel at work', () => import('../demo/demo.ts')],
  ],
};

/** Lists all commands; those that are wanted also get their options, and can be run. */
export async function declareCommands(
  program: Command,
  invocation: Invocation,
  isWanted: (name: string) => boolean = () => true,
): Promise<void> {
  for (const [title, commands] of Object.entries(groups)) {
    program.commandsGroup(title);
    for (const [name, summary, load] of commands) {
      const command = program.command(name, { hidden: name.startsWith('_') }).summary(summary);
      if (isWanted(name)) (await load()).commands[name]?.(command, invocation);
    }
  }
}
