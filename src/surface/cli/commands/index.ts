// All commands, in the order of the help: names, arguments, options and examples. Each loads its own code when it runs.
import { Argument, Option } from 'commander';
import { dialectNames } from '../../../definition/plugin-spec.ts';
import { tokenPurposes } from '../../../runtime/tokens/token-purposes.ts';
import { clientNames } from '../../../fleet/discovery/client-files.ts';
import type { CommandBuilder } from '../describe-command.ts';
import type { BuildFlags } from './build.ts';
import type { CheckOptions } from './check.ts';
import type { AddOptions } from './configure.ts';
import { declareDev, declareDoctor, declareRecording } from './declare-debugging.ts';
import { declareAudit, declareUse } from './declare-use.ts';
import type { ImportOptions } from './import.ts';
import { languages } from '../scaffold/languages.ts';
import type { NewOptions } from './new.ts';
import { collect, portOption } from './option-values.ts';
import type { RuleOptions } from './rules.ts';
import type { ServeOptions } from './serve-options.ts';
import type { TokensOptions } from './tokens.ts';
import type { UpOptions } from './up.ts';

export function declareCommands(builder: CommandBuilder): void {
  const { program } = builder;
  program.commandsGroup('Run plugins:');
  declareFleet(builder);
  program.commandsGroup('Use them:');
  declareUse(builder);
  declareAudit(builder);
  declareServing(builder);
  declareAccess(builder);
  declareDoctor(builder);
  program.commandsGroup('Write them:');
  declareMaking(builder);
  declareDev(builder);
  declareAuthoring(builder);
  declareRecording(builder);
  program.commandsGroup('Configure:');
  declareConfiguration(builder);
  program.commandsGroup('More:');
  declareShell(builder);
}

function declareFleet({ describe }: CommandBuilder): void {
  describe<UpOptions>({
    name: 'up',
    summary: 'Start the plugins, the console, the MCP endpoint and the API',
    description: 'Start the plugins, the console, the MCP endpoint and the API; other commands then use them',
    examples: ['pluglot up', 'pluglot up --open', 'pluglot up --port 0 --no-console'],
    uses: 'file',
    run: async (context, options) => (await import('./up.ts')).up(context, options),
  })
    .option(
      '--port <number>',
      'Port to listen on; 0: any free port (default: 7717, or the next free port)',
      portOption,
    )
    .option('--host <address>', 'Address to listen on, such as 0.0.0.0')
    .option('--open', 'Open the console in the browser')
    .option('--no-console', 'Do not serve the console')
    .option('--bundled', 'Also run the example plugins')
    .option('--no-bundled', 'Run no example plugins, even if nothing is configured');
  describe({
    name: 'status',
    description: 'Show plugin status',
    examples: ['pluglot status', 'pluglot status --json'],
    uses: 'file',
    run: async (context) => (await import('./lists.ts')).status(context),
  });
  describe<{ all?: boolean }>({
    name: 'plugins',
    description: 'List the plugins that are configured or found, and where',
    examples: ['pluglot plugins', 'pluglot plugins --all'],
    uses: 'fleet',
    run: async (context, options) => (await import('./lists.ts')).plugins(context, options),
  }).option('--all', 'Include built-in plugins');
  describe<{ dialect?: string; all?: boolean }>({
    name: 'tools',
    description: 'List the tools of all plugins, or of the one behind --',
    examples: [
      'pluglot tools',
      'pluglot tools --json | jq -r ".[].name"',
      'pluglot tools -- python3 plugin.py',
    ],
    uses: 'plugin',
    run: async (context, options) => (await import('./lists.ts')).tools(context, options),
  }).option('--all', 'Include tools of built-in plugins');
  describe<{ follow?: boolean }>({
    name: 'logs',
    description: 'Show the log of a plugin',
    examples: ['pluglot logs dice', 'pluglot logs dice -f'],
    uses: 'fleet',
    run: async (context, options, [name]) => (await import('./logs.ts')).logs(context, String(name), options),
  })
    .argument('<name>', 'Name of the plugin')
    .option('-f, --follow', 'Follow the log until Ctrl-C');
  for (const action of ['start', 'stop', 'restart'] as const) {
    describe({
      name: action,
      summary: `${capitalized(action)} a plugin of the running \`pluglot up\``,
      description: `${capitalized(action)} a plugin of the running \`pluglot up\`${action === 'start' ? '; without one, run this plugin alone until Ctrl-C' : ''}`,
      examples: [`pluglot ${action} dice`],
      uses: 'fleet',
      run: async (context, _, [name]) =>
        (await import('./lifecycle.ts')).lifecycle(context, action, String(name)),
    }).argument('<name>', 'Name of the plugin');
  }
}

function declareAccess({ describe }: CommandBuilder): void {
  describe<{ open?: boolean }>({
    name: 'console',
    summary: 'Print a one-time link into the console',
    description: 'Print a link that lets a browser into the console of the running fleet, once',
    examples: ['pluglot console', 'pluglot console --open'],
    uses: 'file',
    run: async (context, options) => (await import('./tokens.ts')).consoleLink(context, options),
  }).option('--open', 'open it in the browser');
  describe<TokensOptions>({
    name: 'tokens',
    summary: 'List, make and revoke tokens of clients',
    description: 'List, make and revoke tokens that let clients in over HTTP; what is revoked ends at once',
    examples: [
      'pluglot tokens list',
      'pluglot tokens new laptop',
      'pluglot tokens new reader --profile reader',
      'pluglot tokens new ci --for api',
      'pluglot tokens revoke laptop',
    ],
    uses: 'fleet',
    run: async (context, options, [action, name]) =>
      (await import('./tokens.ts')).tokens(
        context,
        action as 'list' | 'new' | 'revoke', // the choices below
        name as string | undefined,
        options,
      ),
  })
    .addArgument(new Argument('[action]', 'what to do').choices(['list', 'new', 'revoke']).default('list'))
    .argument('[name]', 'of the token')
    .addOption(new Option('--for <purpose>', 'new: what it opens; without it mcp').choices(tokenPurposes))
    .option('--profile <name>', 'new, for mcp: the profile of pluglot.json that says what clients see');
}

function declareServing({ describe }: CommandBuilder): void {
  describe<ServeOptions>({
    name: 'serve',
    summary: 'Serve plugins in another dialect on stdio, or as MCP over HTTP',
    description:
      'Serve plugins in another dialect on stdio, for a host that starts this command; or all of them as one MCP server over HTTP',
    examples: [
      'pluglot serve --as mcp -- python3 plugin.py',
      'pluglot serve --as gassist dice',
      'pluglot serve --stdio',
      'pluglot serve --http --port 0 -- node server.mjs',
    ],
    uses: 'own-fleet',
    wire: true,
    run: async (context, options, [names]) =>
      (await import('./serve.ts')).serve(context, names as string[], options),
  })
    .argument('[names...]', 'Plugins to serve (default: all, or the one behind --)')
    .addOption(
      new Option('--as <dialect>', 'Dialect of the host (default: detected from its first message)').choices(
        dialectNames,
      ),
    )
    .option('--stdio', 'Serve MCP on stdio for an MCP client, sharing a running `pluglot up`')
    .option('--standalone', 'Start plugins of its own, even while `pluglot up` runs')
    .option('--http', 'Serve MCP over HTTP at /mcp, with a token')
    .option('--port <number>', 'With --http: port to listen on; 0: any free port', portOption)
    .option('--host <address>', 'With --http: address to listen on')
    .option('--json', 'With --http: print JSON');
}

function declareAuthoring({ describe }: CommandBuilder): void {
  describe<CheckOptions>({
    name: 'check',
    summary: 'Check how well a plugin follows its protocol',
    description: 'Check how well a plugin follows its protocol and what it survives, and print a scorecard',
    examples: [
      'pluglot check -- node plugin.mjs',
      'pluglot check dice',
      'pluglot check --tool roll dice=2d6 -- node server.mjs',
      'pluglot check --junit report.xml --badge badge.svg -- ./plugin.py',
    ],
    uses: 'own-fleet',
    verbosity: {
      quiet: 'Print only the last line',
      verbose: 'Show all checks; -vv: also what was seen in each',
    },
    run: async (context, options, [name]) =>
      (await import('./check.ts')).check(context, name as string | undefined, options),
  })
    .argument('[name]', 'A configured plugin, instead of a command behind --')
    .option('--tool <name and arguments...>', 'Tool to call, such as --tool roll dice=2d6')
    .option(
      '--slow-tool <name and arguments...>',
      'A call that takes seconds, to test what happens meanwhile',
    )
    .option(
      '--only <pattern>',
      'Only run checks whose id contains this; * matches anything; repeatable',
      collect,
    )
    .option('--junit <file>', 'Write a JUnit report')
    .option('--badge <file>', 'Write an SVG badge');
  describe<BuildFlags>({
    name: 'build',
    description: 'Bundle a plugin into one file, with its manifests',
    examples: ['pluglot build', 'pluglot build src/plugin.ts --out release'],
    run: async (context, options, [entry]) =>
      (await import('./build.ts')).build(context, entry as string | undefined, options),
  })
    .argument('[entry]', 'File that calls serve() or exports the plugin (default: main, plugin or index)')
    .option('--out <folder>', 'Output folder', 'dist');
}

function declareMaking({ describe }: CommandBuilder): void {
  describe<NewOptions>({
    name: 'new',
    summary: 'Create a plugin with a test and its manifests',
    description: 'Create a plugin with a test, its manifests and a README',
    examples: ['pluglot new my-plugin', 'pluglot new my-plugin --lang python --dialect gassist'],
    run: async (context, options, [name]) =>
      (await import('./new.ts')).newPlugin(context, String(name), options),
  })
    .argument('<name>', 'Name of the plugin and of its folder')
    .addOption(new Option('--lang <language>', 'Programming language').choices(languages))
    .addOption(
      new Option(
        '--dialect <name>',
        'Dialect it is written for (default: all in JavaScript and TypeScript, mcp in Python)',
      ).choices(dialectNames),
    );
}

function declareConfiguration({ describe }: CommandBuilder): void {
  describe<AddOptions>({
    name: 'add',
    description: 'Add a plugin to pluglot.json',
    examples: [
      'pluglot add dice -- node server.mjs',
      'pluglot add docs --url http://127.0.0.1:3000/mcp',
      "pluglot add gh --user --env TOKEN='${env:GH_TOKEN}' -- gh-mcp",
    ],
    uses: 'new-plugin',
    run: async (context, options, [name]) =>
      (await import('./configure.ts')).add(context, String(name), options),
  })
    .argument('<name>', 'Name of the plugin')
    .option('--url <address>', 'Address of an MCP server over HTTP, instead of a command')
    .option('--env <key=value>', 'Environment variable of the plugin; repeatable', collect)
    .option('--header <key=value>', 'HTTP header for --url; repeatable', collect)
    .option('--sandbox', 'Run it in the sandbox: no network, only its own folder and the working folder')
    .option('--user', "Write to your own configuration instead of the project's")
    .option('--replace', 'Replace a plugin of the same name')
    .option('--no-try', 'Do not start it to see whether it works');
  describe<{ user?: boolean }>({
    name: 'remove',
    description: 'Remove a plugin from pluglot.json',
    examples: ['pluglot remove dice'],
    uses: 'file',
    run: async (context, options, [name]) =>
      (await import('./configure.ts')).remove(context, String(name), options),
  })
    .argument('<name>', 'Name of the plugin')
    .option('--user', 'Remove it from your own configuration');
  describe<ImportOptions>({
    name: 'import',
    description: 'Import MCP servers that other clients have configured',
    examples: ['pluglot import cursor', 'pluglot import --dry-run'],
    run: async (context, options, [client]) =>
      (await import('./import.ts')).importServers(context, client as string | undefined, options),
  })
    .addArgument(new Argument('[client]', 'Client to import from (default: all)').choices(clientNames))
    .option('-n, --dry-run', 'Only show what would be imported')
    .option('--project', "Write to the project's file instead of your own")
    .option('--replace', 'Replace plugins of the same name');
  for (const action of ['allow', 'deny'] as const)
    describe<RuleOptions>({
      name: action,
      description: `Write a rule that ${action === 'allow' ? 'allows' : 'denies'} calls or command lines`,
      examples: [
        `pluglot ${action} gh__list_issues`,
        `pluglot ${action} 'write_file(path=src/*)'`,
        `pluglot ${action} 'git push *' --project`,
      ],
      uses: 'file',
      run: async (context, options, [rule]) =>
        (await import('./rules.ts')).addRule(context, action, String(rule), options),
    })
      .argument('<rule>', 'plugin__tool, plugin__*, tool(argument=value), or a command line')
      .option('--project', "Write the project's permissions.json instead of your own");
  describe({
    name: 'trust',
    description: 'Manage which projects and plugin folders may be run',
    examples: ['pluglot trust add .', 'pluglot trust list', 'pluglot trust remove .'],
    run: async (context, _, [action, path]) =>
      (await import('./trust.ts')).trust(context, String(action), path as string | undefined),
  })
    .addArgument(new Argument('<action>', 'Action').choices(['add', 'list', 'remove']))
    .argument('[path]', 'A project, a plugin folder or a file');
}

function declareShell({ describe, program, surroundings, behindDashes }: CommandBuilder): void {
  describe({
    name: 'completion',
    plain: true,
    description: 'Print the shell completion script',
    examples: ['source <(pluglot completion bash)', 'pluglot completion zsh > "${fpath[1]}/_pluglot"'],
    run: async (context, _, [shell]) => (await import('./completion.ts')).completion(context, String(shell)),
  }).addArgument(new Argument('<shell>', 'Shell').choices(['bash', 'zsh', 'fish']));
  program.command('__complete', { hidden: true }).action(async () => {
    const { complete } = await import('../complete.ts');
    const known = async () => (await import('../host/known-names.ts')).knownNames(surroundings);
    const { knownCommands } = await import('../host/known-commands.ts');
    const names = await complete(program, behindDashes ?? [], known, knownCommands(surroundings));
    surroundings.stdout.write(names.map((name) => `${name}\n`).join(''));
  });
  describe({
    name: 'demo',
    summary: 'Show the JSON-RPC channel at work',
    description:
      'Show the JSON-RPC channel at work: two plugins, one per framing, called, streamed, cancelled and killed',
    examples: ['pluglot demo', 'pluglot demo --json'],
    run: async (context) => (await import('../demo/demo.ts')).demo(context),
  });
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
