// `pluglot tokens list|new|revoke`: who has access over HTTP. `pluglot console`: a link that opens the console in one browser.
import { Argument, Option } from 'commander';
import { PluglotError } from '../../../base/error.ts';
import { printableLine } from '../../../base/printable.ts';
import { didYouMean } from '../../../base/names.ts';
import { homeFolders } from '../../../fleet/discovery/config-places.ts';
import type { RuntimeApi } from '../../../runtime/api.ts';
import { serverSettings } from '../../../runtime/server-settings.ts';
import { tokenPurposes, type TokenPurpose } from '../../../runtime/tokens/token-purposes.ts';
import { openTokens } from '../../../runtime/tokens/tokens.ts';
import { defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { confirm, hint, warn } from '../terminal.ts';
import { attach, socketOf } from '../attach.ts';
import { timeOf } from '../log-lines.ts';
import { printTable } from '../table.ts';
import { openBrowser } from '../up/open-browser.ts';
import { type CommandContext, usageError } from '../context.ts';

interface TokensFlags {
  readonly for?: TokenPurpose;
  readonly profile?: string;
}

type Action = 'list' | 'new' | 'revoke';

export const commands = {
  tokens: defineCommand<TokensFlags, [action: Action, name: string | undefined]>({
    description: 'List, create and revoke tokens that let clients in over HTTP; what is revoked ends at once',
    examples: [
      'pluglot tokens list',
      'pluglot tokens new laptop',
      'pluglot tokens new reader --profile reader',
      'pluglot tokens new ci --for api',
      'pluglot tokens revoke laptop',
    ],
    uses: 'fleet',
    declare: (command) =>
      command
        .addArgument(new Argument('[action]', 'Action').choices(['list', 'new', 'revoke']).default('list'))
        .argument('[name]', 'Name of the token')
        .addOption(new Option('--for <purpose>', 'new: what it opens (default: mcp)').choices(tokenPurposes))
        .option(
          '--profile <name>',
          'new, for mcp: the profile of pluglot.json that selects what clients see',
        ),
    run: tokens,
  }),
  console: defineCommand<{ open?: boolean }>({
    description: 'Print a link that lets a browser into the console of the running fleet, once',
    examples: ['pluglot console', 'pluglot console --open'],
    uses: 'file',
    declare: (command) => command.option('--open', 'Open it in the browser'),
    run: consoleLink,
  }),
};

async function tokens(
  context: CommandContext,
  flags: TokensFlags,
  action: Action,
  name: string | undefined,
): Promise<ExitCode> {
  if (action === 'list') {
    if (name !== undefined || flags.for !== undefined || flags.profile !== undefined)
      throw usageError('All tokens are listed: `pluglot tokens list` takes no name and no options.');
    return withTokens(context, (known) => list(context, known));
  }
  if (name === undefined) throw usageError(`Say which token, such as: pluglot tokens ${action} laptop`);
  return withTokens(context, (known) =>
    action === 'new' ? create(context, known, name, flags) : revoke(context, known, name),
  );
}

/** Of a running `up`, where what is revoked ends at once; else those in the state folder. */
async function withTokens(
  context: CommandContext,
  use: (tokens: RuntimeApi['tokens']) => Promise<ExitCode>,
): Promise<ExitCode> {
  const attached = context.standalone ? undefined : await attach(await socketOf(context));
  if (attached !== undefined) {
    try {
      return await use(attached.tokens);
    } finally {
      await attached.close();
    }
  }
  const own = openTokens(homeFolders(context.env, context.home).state);
  const { profiles } = await serverSettings(context);
  own.useConfigured(
    new Map(
      Object.entries(profiles).flatMap(([name, { token }]) => (token === undefined ? [] : [[name, token]])),
    ),
  );
  return use(own);
}

async function list({ out, err, json }: CommandContext, known: RuntimeApi['tokens']): Promise<ExitCode> {
  const all = await known.list();
  if (json) out.line(JSON.stringify(all));
  else if (all.length === 0) err.line('There are no tokens. `pluglot up` makes one for clients of MCP.');
  else {
    const { dim, cyan } = out.colours;
    const moment = (time: string) => timeOf(Date.parse(time)).slice(0, 16);
    printTable(out, all, [
      { title: 'NAME', style: cyan, cell: ({ name }) => printableLine(name, 100) },
      { title: 'FOR', cell: ({ purpose }) => printableLine(purpose, 20) },
      { title: 'PROFILE', spare: 1, cell: ({ profile = '–' }) => printableLine(profile, 100) },
      {
        title: 'CREATED',
        style: dim,
        cell: ({ createdAt }) => (createdAt === undefined ? 'pluglot.json' : moment(createdAt)),
      },
      {
        title: 'LAST USED',
        style: dim,
        cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? 'never' : moment(lastUsedAt)),
      },
    ]);
  }
  return ExitCode.ok;
}

async function create(
  context: CommandContext,
  known: RuntimeApi['tokens'],
  name: string,
  { for: purpose = 'mcp', profile }: TokensFlags,
): Promise<ExitCode> {
  const { out, err, json } = context;
  const { profiles } = await serverSettings(context);
  if (profile !== undefined && !Object.hasOwn(profiles, profile))
    throw usageError(
      `There is no profile "${profile}" in pluglot.json.${didYouMean(profile, Object.keys(profiles))}`,
    );
  const made = await known.create({ name, purpose, ...(profile !== undefined && { profile }) });
  if (json) {
    out.line(JSON.stringify(made));
    return ExitCode.ok;
  }
  const view = profile === undefined ? '' : ` with the profile ${profile}`;
  confirm(err, `${name} opens ${opens[purpose]}${view}. Its token, shown this once:`);
  out.line(made.secret);
  hint(err, `Send it as "Authorization: Bearer TOKEN". To revoke it: pluglot tokens revoke ${name}`);
  return ExitCode.ok;
}

const opens: Readonly<Record<TokenPurpose, string>> = {
  mcp: '/mcp',
  metrics: '/metrics',
  'api-read': 'all of /api/v1 that only reads, and /metrics',
  api: '/api/v1 for calls, conversations, starting and stopping plugins and reading, and /metrics',
};

async function revoke(
  { out, json }: CommandContext,
  known: RuntimeApi['tokens'],
  name: string,
): Promise<ExitCode> {
  if (!(await known.revoke(name))) {
    const names = (await known.list()).map((token) => token.name);
    throw new PluglotError('NOT_FOUND', `There is no token "${name}".${didYouMean(name, names)}`);
  }
  if (json) out.line(JSON.stringify({ revoked: name }));
  else {
    const next = name === 'default' ? ' The next `pluglot up` makes another one.' : '';
    confirm(out, `${printableLine(name, 100)} is revoked.${next}`);
  }
  return ExitCode.ok;
}

async function consoleLink(context: CommandContext, options: { readonly open?: boolean }): Promise<ExitCode> {
  const { out, err, json } = context;
  const attached = await attach(await socketOf(context));
  if (attached === undefined)
    throw new PluglotError(
      'UNAVAILABLE',
      'No `pluglot up` of this project runs. Start it: it prints a link, too.',
    );
  try {
    const link = await attached.consoleLink();
    if (json) out.line(JSON.stringify(link));
    else {
      out.line(link.url);
      hint(err, 'It opens once, within 10 minutes.');
    }
    const failure = options.open === true ? await openBrowser(link.url, context) : undefined;
    if (failure !== undefined) warn(err, `The browser was not opened: ${failure}`);
    return ExitCode.ok;
  } finally {
    await attached.close();
  }
}
