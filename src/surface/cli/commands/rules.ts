// `pluglot allow` and `pluglot deny`: writes one rule into a permissions.json. `pluglot explain`: which rule decides a call.
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import { printable, printableLine } from '../../../base/printable.ts';
import { sentence } from '../../../base/text.ts';
import { homeFolders, projectFiles } from '../../../fleet/discovery/config-places.ts';
import { forgetPin, pinFile } from '../../../gate/pins/pin-file.ts';
import { readPermissions } from '../../../gate/policy/file/read-permissions.ts';
import { checkedRule, writeRule, type NewRule } from '../../../gate/policy/file/write-rule.ts';
import { callRule } from '../../../gate/policy/rules/call-rule.ts';
import { deadRules } from '../../../gate/policy/rules/rule-list.ts';
import { ruleIn } from '../../../gate/policy/shell/command-pattern.ts';
import type { ExplanationView } from '../../../runtime/api.ts';
import { argumentsOf, readArguments } from '../../../runtime/typed-arguments.ts';
import { defineCommand } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { confirm } from '../terminal.ts';
import { withToolArguments } from './call.ts';
import { unlessInterrupted, type CommandContext, usageError } from '../context.ts';
import { withRuntime } from '../open-runtime.ts';
import { followTrust, shown, showConsequences } from './config-target.ts';

type Caller = 'user' | 'model' | 'client';

const ruleCommand = (action: NewRule['action']) =>
  defineCommand<{ project?: boolean }, [rule: string]>({
    examples: [
      `pluglot ${action} gh__list_issues`,
      `pluglot ${action} 'write_file(path=src/*)'`,
      `pluglot ${action} 'git push *' --project`,
    ],
    uses: 'file',
    declare: (command) =>
      command
        .argument('<rule>', 'plugin__tool, plugin__*, tool(argument=value), or a command line')
        .option('--project', "Write the project's permissions.json instead of your own"),
    run: (context, { project = false }, rule) => addRule(context, action, rule, project),
  });

export const commands = {
  allow: ruleCommand('allow'),
  deny: ruleCommand('deny'),
  explain: defineCommand<{ as: Caller }, [tool: string, words: string[]]>({
    description:
      'Show what the rules decide on a call, which of them, and why; no question is asked, and nothing is called',
    examples: [
      'pluglot explain roll dice=2d6',
      'pluglot explain gh__create_issue title=x --as model',
      `pluglot explain cli_based_tool '{"command":"git push"}' --json`,
    ],
    uses: 'plugin',
    declare: (command) =>
      withToolArguments(command).addOption(
        new Option('--as <caller>', 'Who calls it').choices(['user', 'model', 'client']).default('client'),
      ),
    run: (context, flags, tool, words) => explain(context, tool, words, flags.as),
  }),
};

async function addRule(
  context: CommandContext,
  action: NewRule['action'],
  given: string,
  project: boolean,
): Promise<ExitCode> {
  const { out, json, cwd, env, home } = context;
  const rule = checkedRule(given, action);
  refuseDead(action, rule);
  const owner = project ? 'project' : 'user';
  const file = project
    ? await projectFile(cwd)
    : path.join(homeFolders(env, home).config, 'permissions.json');
  const target = { file, owner } as const;
  // Without any file the rest is asked about, and stays so.
  const { sources } = await readPermissions({ cwd, env, home });
  const defaultPolicy = sources.length === 0 ? 'ask' : undefined;
  const edit = await writeRule({ ...target, defaultPolicy }, { action, rule });
  const trusted = await followTrust(context, target, edit);
  if (action === 'allow') await release(context, rule);
  if (json) {
    out.line(JSON.stringify({ file, [action]: rule, isNew: edit.after !== undefined, trusted }));
    return ExitCode.ok;
  }
  const change = edit.after === undefined ? 'was already there' : 'was added';
  confirm(
    out,
    `The rule ${action} ${out.colours.cyan(printableLine(rule, 1000))} ${change} in ${shown(context, file)}.`,
  );
  await showConsequences(context, target, edit, trusted);
  return ExitCode.ok;
}

/** A rule that can never hold would only look as if it did. */
function refuseDead(action: NewRule['action'], rule: string): void {
  const [dead] = deadRules({ allow: [ruleIn(rule)] });
  if (dead === undefined) return;
  const effect = action === 'allow' ? 'allow' : 'forbid';
  throw usageError(
    sentence(`The rule "${printableLine(rule, 200)}" would ${effect} nothing: it ${dead.reason}`),
  );
}

/** A tool that is held since it is defined otherwise than it was is approved as it is now. */
async function release({ cwd, env, home }: CommandContext, rule: string): Promise<void> {
  const { plugin, tool = '', arguments: given = [] } = callRule(rule) ?? {};
  if (plugin === undefined || given.length > 0 || /[*?]/.test(`${plugin}${tool}`)) return;
  const { top: scope } = await projectFiles(cwd);
  const pins = pinFile(path.join(homeFolders(env, home).state, 'definitions.json'));
  await forgetPin(pins, { plugin, name: tool, scope });
}

/** The one that counts, else a new one at the top of the project. */
async function projectFile(cwd: string): Promise<string> {
  const project = await projectFiles(cwd);
  const [first, second] = [
    await project.nearest('permissions.json'),
    await project.nearest('.permissions.json'),
  ];
  return first ?? second ?? path.join(project.top, 'permissions.json');
}

async function explain(
  context: CommandContext,
  name: string,
  words: readonly string[],
  kind: Caller,
): Promise<ExitCode> {
  const { out, err, json, signal, stdin } = context;
  const typed = await readArguments(words, () => unlessInterrupted(signal, text(stdin)));
  return withRuntime(context, { builtIns: true }, async (host) => {
    err.progress(`looking for ${name} …`);
    // The schema decides which values are texts; a command takes only texts.
    const schema = await host.tool(name).then(
      ({ tool }) => tool.inputSchema,
      () => undefined,
    );
    const explanation = await host.explain(name, argumentsOf(typed, schema), { caller: { kind } });
    if (json) out.line(JSON.stringify(explanation));
    else print(context, explanation);
    return ExitCode.ok;
  });
}

function print({ out }: CommandContext, explanation: ExplanationView): void {
  const {
    name,
    kind,
    plugin,
    caller,
    decision,
    method,
    reason,
    rules,
    runs = [],
    fix,
    difference,
  } = explanation;
  const { bold, cyan, dim, green, red, yellow } = out.colours;
  const paint = { allow: green, deny: red, ask: yellow }[decision];
  const row = (title: string, what: string) =>
    out.line(`  ${dim(title.padEnd(7))} ${printableLine(what, 2000)}`);
  out.line(`${cyan(printableLine(name, 200))}: ${bold(paint(decided[decision]))}`);
  row('what', `${kind} of plugin ${plugin}, called by a ${caller.kind}`);
  row('why', reason);
  for (const { rule, file } of rules) row('rule', `${rule}  (${file ?? 'of this session'})`);
  for (const each of runs) row('runs', each);
  row('method', method);
  if (difference !== undefined) out.line(printable(difference).replaceAll(/^/gm, '    '));
  if (fix !== undefined) row('', fix);
}

const decided: Readonly<Record<ExplanationView['decision'], string>> = {
  allow: 'allowed',
  deny: 'denied',
  ask: 'asked about',
};
