// Lists that forbid: one command of many, or one argument, is enough.
import { textOf } from '../../../base/shown.ts';
import { matchesGlob } from '../glob.ts';
import { commandPattern, forbids } from '../shell/command-pattern.ts';
import { flattened } from '../shell/shell-command.ts';
import { argumentsText } from '../signature.ts';
import type { PolicyCall } from './call.ts';
import type { RuleList } from './rule-list.ts';
import { forbiddingNames } from './tool-names.ts';

export interface Forbidden {
  readonly rule: string;
  /** False where words are only known to the shell: it may be forbidden. */
  readonly isCertain: boolean;
}

export function forbiddenBy(list: RuleList, call: PolicyCall): Forbidden | undefined {
  if (list.isEmpty) return undefined;
  const names = forbiddingNames(call.subject);
  const tool = list.tools.find(names);
  if (tool !== undefined) return { rule: tool, isCertain: true };
  return strictest([...byPatterns(list, call, names), ...byArguments(list, call, names)]);
}

function byPatterns(list: RuleList, { shell, subject }: PolicyCall, names: readonly string[]): Forbidden[] {
  if (!shell) {
    const given = argumentsText(subject);
    const found = list.patterns.find(({ source }) =>
      names.some((name) => matchesGlob(source, name) || matchesGlob(source, name + given)),
    );
    return found ? [{ rule: found.source, isCertain: true }] : [];
  }
  const commands = flattened(shell.reading.commands);
  return list.patterns.flatMap((pattern): Forbidden[] => {
    const results = commands.map((command) => forbids(pattern, command));
    // Also as the text that it is: a rule may name what is not to be read.
    const isWhole =
      matchesGlob(pattern.source, shell.signature) || names.some((name) => matchesGlob(pattern.source, name));
    if (isWhole || results.includes('yes')) return [{ rule: pattern.source, isCertain: true }];
    return results.includes('perhaps') ? [{ rule: pattern.source, isCertain: false }] : [];
  });
}

function byArguments(list: RuleList, { subject, shell }: PolicyCall, names: readonly string[]): Forbidden[] {
  const rules = list.arguments.filter(({ tool }) => names.some((name) => matchesGlob(tool, name)));
  return rules.flatMap(({ tool, values }) =>
    [...values].flatMap(([key, forbidden]) => {
      const value = Object.hasOwn(subject.args, key) ? subject.args[key] : undefined;
      return forbidden.flatMap((one): Forbidden[] => {
        const rule = `${tool}(${key}=${one})`;
        if (shell && key === shell.use.tool.command) {
          const pattern = commandPattern(`${one} *`);
          const results = flattened(shell.reading.commands).map((command) => forbids(pattern, command));
          if (results.includes('yes')) return [{ rule, isCertain: true }];
          if (results.includes('perhaps')) return [{ rule, isCertain: false }];
        }
        const isThere = value !== undefined && matchesGlob(`*${one}*`, textOf(value));
        return isThere ? [{ rule, isCertain: true }] : [];
      });
    }),
  );
}

function strictest(found: readonly Forbidden[]): Forbidden | undefined {
  return found.find((one) => one.isCertain) ?? found[0];
}
