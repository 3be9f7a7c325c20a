// One list of rules, ready to be held against calls.
import { matchesGlob } from '../glob.ts';
import type { Rules } from '../file/permissions-file.ts';
import { type CallPattern, callPattern } from './call-pattern.ts';
import { type CommandPattern, commandPattern } from '../shell/command-pattern.ts';

export interface RuleList {
  /** Nothing is in it, so that nothing has to be held against it. */
  readonly isEmpty: boolean;
  readonly tools: NameSet;
  readonly patterns: readonly CommandPattern[];
  /** The same, as they allow calls of tools that run no command line. */
  readonly calls: readonly CallPattern[];
  readonly arguments: readonly ArgumentRule[];
  /** As they were written, for people. */
  readonly shown: readonly string[];
}

export interface ArgumentRule {
  readonly tool: string;
  readonly values: ReadonlyMap<string, readonly string[]>;
}

interface NameSet {
  /** The rule that holds for one of the names, of those that count. */
  find(names: readonly string[], counts?: (rule: string) => boolean): string | undefined;
}

export function ruleList(rules: readonly (Rules | undefined)[]): RuleList {
  const all = rules.filter((one) => one !== undefined);
  const argumentRules = all.flatMap((one) =>
    Object.entries(one.arguments ?? {}).map(([tool, values]) => ({
      tool,
      values: new Map(Object.entries(values)),
    })),
  );
  const tools = all.flatMap((one) => one.tools ?? []);
  const patterns = all.flatMap((one) => one.patterns ?? []);
  return {
    isEmpty: tools.length + patterns.length + argumentRules.length === 0,
    tools: nameSet(tools),
    patterns: patterns.map(commandPattern),
    calls: patterns.flatMap((source) => callPattern(source) ?? []),
    arguments: argumentRules,
    shown: [...tools, ...patterns, ...argumentRules.flatMap(shownArguments)],
  };
}

/** Thousands of plain names cost no more than one. */
function nameSet(names: readonly string[]): NameSet {
  const isPattern = (name: string) => /[*?]/.test(name);
  const plain = new Set(names.filter((name) => !isPattern(name)));
  const patterns = names.filter(isPattern);
  return {
    find(candidates, counts = () => true) {
      for (const name of candidates) {
        if (plain.has(name)) return name;
        const pattern = patterns.find((one) => matchesGlob(one, name) && counts(one));
        if (pattern !== undefined) return pattern;
      }
      return undefined;
    },
  };
}

function shownArguments({ tool, values }: ArgumentRule): string[] {
  return [...values].map(([key, allowed]) => `${tool}(${key}=${allowed.join(' | ')})`);
}
