// What all permissions files together say: everything that tightens counts, what loosens only where the file is trusted.
import type { PermissionSource, PermissionsFile, ToolClass } from '../file/permissions-file.ts';
import type { DefaultPolicy } from '../policy.ts';
import { defaultShellTools, type ShellTools } from '../signature.ts';
import { listed, type RuleList, ruleList } from './rule-list.ts';

export interface EffectiveRules {
  readonly denyRules: RuleList;
  readonly allowRules: RuleList;
  readonly readOnly: ClassRules;
  readonly destructive: ClassRules;
  /** What untrusted files call destructive: at most it is asked about. */
  readonly cautious: RuleList;
  readonly shellTools: ShellTools;
  readonly defaultPolicy: DefaultPolicy;
  /** Why nothing but what a person types is allowed. */
  readonly broken: string | undefined;
}

interface ClassRules {
  readonly rules: RuleList;
  readonly policy: DefaultPolicy;
}

export function effectiveRules(sources: readonly PermissionSource[]): EffectiveRules {
  const trusted = contentsOf(sources.filter((source) => source.trusted));
  const broken = sources.find((source) => source.broken !== undefined);
  return {
    denyRules: rulesIn(sources, 'deny', 'blacklist'),
    allowRules: rulesIn(
      sources.filter((source) => source.trusted),
      'allow',
      'whitelist',
    ),
    readOnly: classRules(
      trusted.map((content) => content.classes?.readOnly),
      'allow',
    ),
    // Those of an untrusted file apart: to ask where nothing was to be asked loosens.
    destructive: classRules(
      trusted.map((content) => content.classes?.destructive),
      'ask',
    ),
    cautious: ruleList(
      contentsOf(sources.filter((source) => !source.trusted)).map((content) => content.classes?.destructive),
    ),
    // Not those of an untrusted file: they would let the user's rules for commands allow its tools.
    shellTools: new Map([
      ...defaultShellTools,
      ...trusted.toReversed().flatMap((content) => Object.entries(content.shellTools ?? {})),
    ]),
    defaultPolicy: defaultOf(sources),
    broken: broken && `${broken.file}: ${broken.broken}`,
  };
}

function rulesIn(
  sources: readonly PermissionSource[],
  key: 'allow' | 'deny',
  jaatoKey: 'whitelist' | 'blacklist',
): RuleList {
  const lists = sources.flatMap(({ file, content }) => [
    { ...listed(content?.[key]), file },
    { ...content?.[jaatoKey], file },
  ]);
  return ruleList(lists);
}

function contentsOf(sources: readonly PermissionSource[]): PermissionsFile[] {
  return sources.flatMap(({ content }) => (content ? [content] : []));
}

/** Of several the strictest. */
function classRules(classes: readonly (ToolClass | undefined)[], usual: DefaultPolicy): ClassRules {
  const there = classes.filter((one) => one !== undefined);
  return {
    rules: ruleList(there),
    policy: there.map(({ policy = usual }) => policy).reduce(stricter, usual),
  };
}

/** The default of a trusted file, the project's before the user's; an untrusted one can make it stricter. A file without one denies. */
function defaultOf(sources: readonly PermissionSource[]): DefaultPolicy {
  if (sources.length === 0) return 'ask';
  const trusted = contentsOf(sources.filter((source) => source.trusted)).find(
    (content) => content.defaultPolicy,
  );
  const others = contentsOf(sources.filter((source) => !source.trusted)).flatMap(
    ({ defaultPolicy }) => defaultPolicy ?? [],
  );
  const own =
    trusted?.defaultPolicy ??
    (sources.some((source) => source.trusted) || others.length === 0 ? 'deny' : 'ask');
  return others.reduce(stricter, own);
}

const strictness: Readonly<Record<DefaultPolicy, number>> = { allow: 0, ask: 1, deny: 2 };

export function stricter(one: DefaultPolicy, other: DefaultPolicy): DefaultPolicy {
  return strictness[other] > strictness[one] ? other : one;
}
