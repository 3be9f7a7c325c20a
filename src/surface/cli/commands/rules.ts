// `pluglot allow` and `pluglot deny`: one rule into a permissions.json.
import path from 'node:path';
import { PluglotError } from '../../../base/error.ts';
import { printableLine } from '../../../base/printable.ts';
import { sentence } from '../../../base/sentence.ts';
import { homeFolders } from '../../../fleet/discovery/home-folders.ts';
import { projectFiles } from '../../../fleet/discovery/project-files.ts';
import { forgetPin, pinFile } from '../../../gate/pins/pin-file.ts';
import { readPermissions } from '../../../gate/policy/file/read-permissions.ts';
import { checkedRule, writeRule, type NewRule } from '../../../gate/policy/file/write-rule.ts';
import { callRule } from '../../../gate/policy/rules/call-rule.ts';
import { deadRules } from '../../../gate/policy/rules/dead-rules.ts';
import { ruleIn } from '../../../gate/policy/rules/line-rule.ts';
import { ExitCode } from '../exit-code.ts';
import { followTrust, shown, tellConsequences } from './config-target.ts';
import type { CommandContext } from './context.ts';

export interface RuleOptions {
  readonly project?: boolean;
}

export async function addRule(
  context: CommandContext,
  action: NewRule['action'],
  given: string,
  { project = false }: RuleOptions,
): Promise<ExitCode> {
  const { out, json, cwd, env, home } = context;
  const rule = checkedRule(given);
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
  const said = `${out.colours.cyan(printableLine(rule, 1000))} in ${shown(context, file)}`;
  const isThere = edit.after === undefined ? 'was there already' : 'is there now';
  out.line(`${out.colours.green('✓')} ${action} ${said} ${isThere}.`);
  await tellConsequences(context, target, edit, trusted);
  return ExitCode.ok;
}

/** A rule that can never hold would only look as if it did. */
function refuseDead(action: NewRule['action'], rule: string): void {
  const [dead] = deadRules({ allow: [ruleIn(rule)] });
  if (dead === undefined) return;
  const effect = action === 'allow' ? 'allow' : 'forbid';
  throw new PluglotError(
    'INVALID_ARGUMENTS',
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
