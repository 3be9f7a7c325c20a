// Writes one rule into a permissions.json: `pluglot allow`, `pluglot deny`, and the answer "always". Everything else of the file stays as it is.
import { createHash } from 'node:crypto';
import { PluglotError } from '../../../base/error.ts';
import { MiB } from '../../../base/limits.ts';
import { sentence } from '../../../base/sentence.ts';
import { shown } from '../../../base/shown.ts';
import { addItem } from '../../../fleet/discovery/json-edit.ts';
import { describeProblem } from '../../../fleet/discovery/problem.ts';
import { changeFile } from '../../../fleet/trust/guarded-file.ts';
import { readTextFile } from '../../../fleet/trust/regular-file.ts';
import type { DefaultPolicy } from '../policy.ts';
import { callRule } from '../rules/call-rule.ts';
import { ruleIn, ruleText } from '../rules/line-rule.ts';
import { parsePermissions } from './parse-permissions.ts';

export interface NewRule {
  readonly action: 'allow' | 'deny';
  /** One for command lines alone may be in the long form: `{ "rule": "make" }`. */
  readonly rule: string;
}

export interface RuleFile {
  readonly file: string;
  readonly owner: 'user' | 'project';
  /** Of a file that is made for it: one that says nothing would deny the rest. @default left out */
  readonly defaultPolicy?: DefaultPolicy | undefined;
}

/** What a file was and is, by its hash; undefined when it was not there, or has the rule already. */
export interface WrittenRule {
  readonly before?: string;
  readonly after?: string;
}

/** As in the schema of the file. */
const RULE_MAX = 1000;

/** @throws PluglotError INVALID_ARGUMENTS when it is not a rule */
export function checkedRule(given: string): string {
  const rule = given.trim();
  if (rule === '' || rule.length > RULE_MAX)
    throw notARule(rule, `it has ${rule.length} characters; expected 1 to ${RULE_MAX}`);
  const item = ruleIn(rule);
  if (typeof item !== 'string') return ruleText({ rule: checkedRule(item.rule) });
  if (rule.startsWith('{'))
    throw notARule(rule, 'only { "rule": "COMMAND" } can be given so; for more, edit the file');
  // What begins like a call with arguments is meant as one.
  if (/^[^\s()]+\(/.test(rule) && callRule(rule) === undefined)
    throw notARule(rule, 'its arguments cannot be read; expected key=value, divided by a comma and a space');
  if (/\p{C}/u.test(rule)) throw notARule(rule, 'it has invisible characters');
  return rule;
}

function notARule(rule: string, why: string): PluglotError {
  return new PluglotError(
    'INVALID_ARGUMENTS',
    `${shown(rule)} is not a rule: ${sentence(why)} Rules are names (gh__list_issues, gh__*), calls (read_file(path=src/*)) and command lines (git status).`,
  );
}

/** @throws PluglotError CONFIG_INVALID when the file cannot be read or written; then it is left as it is */
export async function writeRule(
  { file, owner, defaultPolicy }: RuleFile,
  { action, rule }: NewRule,
): Promise<WrittenRule> {
  let written: WrittenRule = {};
  await changeFile(file, { mode: owner === 'user' ? 0o600 : 0o644 }, async () => {
    const read = await readTextFile(file, MiB);
    if (read.kind === 'unreadable')
      throw new PluglotError('CONFIG_INVALID', `${file} ${sentence(read.reason)}`);
    const text = read.kind === 'read' ? read.text : newFile(defaultPolicy);
    const { content, problems } = await parsePermissions(file, text);
    if (!content)
      throw new PluglotError(
        'CONFIG_INVALID',
        `The rule was not written, since the file is broken: ${problems.map(describeProblem)[0] ?? file}`,
      );
    const item = ruleIn(rule);
    if ((content[action] ?? []).some((one) => JSON.stringify(one) === JSON.stringify(item))) return undefined;
    const edited = addItem(text, [action], typeof item === 'string' ? item : { rule: item.rule });
    written = {
      ...(read.kind === 'read' && { before: read.sha256 }),
      after: createHash('sha256').update(edited).digest('hex'),
    };
    return edited;
  });
  return written;
}

function newFile(defaultPolicy: DefaultPolicy | undefined): string {
  return `${JSON.stringify({ version: '1.0', ...(defaultPolicy && { defaultPolicy }) }, undefined, 2)}\n`;
}
