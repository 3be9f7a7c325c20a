// All commands, in the order of the help: names, arguments, options and examples. Each loads its own code when it runs.
import { Argument, Option } from 'commander';
import { dialectNames } from '../../../definition/plugin-spec.ts';
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
import type { ServeOptions } from './serve-options.ts';
import type { UpOptions } from './up.ts';

export function declareCommands(builder: CommandBuilder): void {
  const { program } = builder;
  program.commandsGroup('Run plugins:');
  declareFleet(builder);
  program.commandsGroup('Use them:');
  declareUse(builder);
  declareAudit(builder);
  declareServing(builder);
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
    summary: 'start the fleet, its console, its MCP endpoint and its API',
    description: 'start the fleet, the console, the MCP endpoint and the API; other commands then use it',
    examples: ['pluglot up', 'pluglot up --open', 'pluglot up --port 0 --no-console'],
    uses: 'file',
    run: async (context, options) => (await import('./up.ts')).up(context, options),
  })
    .option(
      '--port <number>',
      'where to listen, 0: any free port; without it 7717, or the next that is free',
      portOption,
    )
    .option('--host <address>', 'the address to listen on, such as 0.0.0.0')
    .option('--open', 'open the console in the browser')
    .option('--no-console', 'serve no page')
    .option('--bundled', 'the example plugins too, whatever is configured')
    .option('--no-bundled', 'no example plugins, also when nothing is configured');
  describe({
    name: 'status',
    description: 'how the plugins are',
    examples: ['pluglot status', 'pluglot status --json'],
    uses: 'file',
    run: async (context) => (await import('./lists.ts')).status(context),
  });
  describe<{ all?: boolean }>({
    name: 'plugins',
    description: 'the plugins that are configured or found, and where',
    examples: ['pluglot plugins', 'pluglot plugins --all'],
    uses: 'fleet',
    run: async (context, options) => (await import('./lists.ts')).plugins(context, options),
  }).option('--all', 'the built-in ones too');
  describe<{ dialect?: string; all?: boolean }>({
    name: 'tools',
    description: 'the tools of all plugins, or of the one behind --',
    examples: [
      'pluglot tools',
      'pluglot tools --json | jq -r ".[].name"',
      'pluglot tools -- python3 plugin.py',
    ],
    uses: 'plugin',
    run: async (context, options) => (await import('./lists.ts')).tools(context, options),
  }).option('--all', 'those of the built-in plugins too');
  describe<{ follow?: boolean }>({
    name: 'logs',
    description: 'what a plugin said and did',
    examples: ['pluglot logs dice', 'pluglot logs dice -f'],
    uses: 'fleet',
    run: async (context, options, [name]) => (await import('./logs.ts')).logs(context, String(name), options),
  })
    .argument('<name>', 'a plugin')
    .option('-f, --follow', 'go on until interrupted');
  for (const action of ['start', 'stop', 'restart'] as const) {
    describe({
      name: action,
      summary: `${action} a plugin of the running fleet`,
      description: `${action} a plugin of the running fleet${action === 'start' ? '; while none runs, hold this one alone until Ctrl-C' : ''}`,
      examples: [`pluglot ${action} dice`],
      uses: 'fleet',
      run: async (context, _, [name]) =>
        (await import('./lifecycle.ts')).lifecycle(context, action, String(name)),
    }).argument('<name>', 'a plugin');
  }
}

function declareServing({ describe }: CommandBuilder): void {
  describe<ServeOptions>({
    name: 'serve',
    summary: 'put plugins of any dialect on stdio in another, or MCP on HTTP',
    description:
      'put plugins of any dialect on stdio in another, for a host that starts this command; or all of them as one MCP server on HTTP',
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
    .argument('[names...]', 'plugins; without them all, or the one behind --')
    .addOption(
      new Option(
        '--as <dialect>',
        "what the host speaks; without it, it is told by the host's first words",
      ).choices(dialectNames),
    )
    .option('--stdio', 'MCP on stdio, as clients of MCP start it: of a running `pluglot up`, else of its own')
    .option('--standalone', 'use a fleet of its own, even while `pluglot up` runs')
    .option('--http', 'MCP over HTTP at /mcp, with a token')
    .option('--port <number>', 'with --http: where to listen, 0: any free port', portOption)
    .option('--host <address>', 'with --http: the address to listen on')
    .option('--json', 'with --http: print data for programs');
}

function declareAuthoring({ describe }: CommandBuilder): void {
  describe<CheckOptions>({
    name: 'check',
    summary: 'how well a plugin keeps to its protocol: a scorecard',
    description: 'how well a plugin keeps to its protocol, and what it survives: a scorecard',
    examples: [
      'pluglot check -- node plugin.mjs',
      'pluglot check --tool roll dice=2d6 -- node server.mjs',
      'pluglot check --junit report.xml --badge badge.svg -- ./plugin.py',
    ],
    uses: 'command',
    verbosity: {
      quiet: 'print the last line alone',
      verbose: 'show all checks; -vv what was seen in each',
    },
    run: async (context, options) => (await import('./check.ts')).check(context, options),
  })
    .option('--tool <name and arguments...>', 'what to call, such as --tool roll dice=2d6')
    .option('--slow-tool <name and arguments...>', 'a call that takes seconds, for what goes on meanwhile')
    .option(
      '--only <pattern>',
      'checks whose ids contain this, * being anything; may be given again',
      collect,
    )
    .option('--junit <file>', 'write a report for build machines')
    .option('--badge <file>', 'write an SVG for a README');
  describe<BuildFlags>({
    name: 'build',
    description: 'make a plugin one file that runs alone, and write its manifests',
    examples: ['pluglot build', 'pluglot build src/plugin.ts --out release'],
    run: async (context, options, [entry]) =>
      (await import('./build.ts')).build(context, entry as string | undefined, options),
  })
    .argument(
      '[entry]',
      'the file that calls serve() or exports the plugin; without it main.ts, plugin.ts or the like',
    )
    .option('--out <folder>', 'where to write', 'dist');
}

function declareMaking({ describe }: CommandBuilder): void {
  describe<NewOptions>({
    name: 'new',
    summary: 'make a plugin that runs, with a test and its manifests',
    description: 'make a plugin that runs, with a test, its manifests and a README',
    examples: ['pluglot new my-plugin', 'pluglot new my-plugin --lang python --dialect gassist'],
    run: async (context, options, [name]) =>
      (await import('./new.ts')).newPlugin(context, String(name), options),
  })
    .argument('<name>', 'of the plugin, and of the folder that is made for it')
    .addOption(new Option('--lang <language>', 'what it is written in').choices(languages))
    .addOption(
      new Option(
        '--dialect <name>',
        'whose manifests it gets; on the SDK all, and what it speaks in Python',
      ).choices(dialectNames),
    );
}

function declareConfiguration({ describe }: CommandBuilder): void {
  describe<AddOptions>({
    name: 'add',
    description: 'add a plugin to pluglot.json',
    examples: [
      'pluglot add dice -- node server.mjs',
      'pluglot add docs --url http://127.0.0.1:3000/mcp',
      "pluglot add gh --user --env TOKEN='${env:GH_TOKEN}' -- gh-mcp",
    ],
    uses: 'new-plugin',
    run: async (context, options, [name]) =>
      (await import('./configure.ts')).add(context, String(name), options),
  })
    .argument('<name>', 'what to call it')
    .option('--url <address>', 'a server that is reached over HTTP instead of started')
    .option('--env <key=value>', 'a variable of its environment; may be given again', collect)
    .option('--header <key=value>', 'a header for a --url; may be given again', collect)
    .option('--user', "into the user's own configuration instead of the project's")
    .option('--replace', 'in the place of one of the same name');
  describe<{ user?: boolean }>({
    name: 'remove',
    description: 'remove a plugin from pluglot.json',
    examples: ['pluglot remove dice'],
    uses: 'file',
    run: async (context, options, [name]) =>
      (await import('./configure.ts')).remove(context, String(name), options),
  })
    .argument('<name>', 'a plugin')
    .option('--user', "from the user's own configuration");
  describe<ImportOptions>({
    name: 'import',
    description: 'take over the servers that other clients have configured',
    examples: ['pluglot import cursor', 'pluglot import --dry-run'],
    run: async (context, options, [client]) =>
      (await import('./import.ts')).importServers(context, client as string | undefined, options),
  })
    .addArgument(new Argument('[client]', 'without it all of them').choices(clientNames))
    .option('-n, --dry-run', 'only show what would be taken over')
    .option('--project', "into the project's file instead of the user's own")
    .option('--replace', 'in the place of those of the same name');
  describe({
    name: 'trust',
    description: 'say what of the things found on disk may be executed',
    examples: ['pluglot trust add .', 'pluglot trust list', 'pluglot trust remove .'],
    run: async (context, _, [action, path]) =>
      (await import('./trust.ts')).trust(context, String(action), path as string | undefined),
  })
    .addArgument(new Argument('<action>', 'what to do').choices(['add', 'list', 'remove']))
    .argument('[path]', 'a project, a plugin folder or a file');
}

function declareShell({ describe, program, surroundings, behindDashes }: CommandBuilder): void {
  describe({
    name: 'completion',
    plain: true,
    description: 'print what makes a shell complete commands, plugins and tools',
    examples: ['source <(pluglot completion bash)', 'pluglot completion zsh > "${fpath[1]}/_pluglot"'],
    run: async (context, _, [shell]) => (await import('./completion.ts')).completion(context, String(shell)),
  }).addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']));
  program.command('__complete', { hidden: true }).action(async () => {
    const { complete } = await import('../complete.ts');
    const known = async () => (await import('../host/known-names.ts')).knownNames(surroundings);
    const { knownCommands } = await import('../host/known-commands.ts');
    const names = await complete(program, behindDashes ?? [], known, knownCommands(surroundings));
    surroundings.stdout.write(names.map((name) => `${name}\n`).join(''));
  });
  describe({
    name: 'demo',
    summary: 'watch the channel at work',
    description:
      'watch the channel at work: two plugins, one per framing, called, streamed, cancelled and killed',
    examples: ['pluglot demo', 'pluglot demo --json'],
    run: async (context) => (await import('../demo/demo.ts')).demo(context),
  });
}
