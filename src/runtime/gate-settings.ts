// The key `gate` of all configurations, merged. A project that is not trusted can lower limits and switch off; the rest of it is
// reported and not used.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { absolute } from '../fleet/discovery/entry-spec.ts';
import { homeFolders } from '../fleet/discovery/config-places.ts';
import type { Problem } from '../fleet/discovery/problem.ts';
import type { HeadTarget } from '../gate/audit/head-sender.ts';
import type { GateLimits } from '../gate/limits/limit-options.ts';
import type { OutputOptions } from '../gate/output/bounded-answer.ts';
import { mergeLimits, mergeOutput, underUsualLimits, withUsualLimits } from './gate-limits.ts';
import { readEntries, type GateFilesOptions, type HeldEntry } from './read-entries.ts';

export interface GateSettings {
  /** Files with rules beside the usual ones. One that the user has not named has to be trusted by itself before it can loosen anything. */
  readonly permissions: readonly {
    readonly file: string;
    readonly isOwn: boolean;
    /** False where the file that names it is not trusted: then it loosens nothing here. */
    readonly mayLoosen: boolean;
  }[];
  readonly limits: GateLimits;
  readonly output: OutputOptions;
  /** Classes of tools by the owner; what a plugin declares is only a hint. */
  readonly classes: {
    readonly readOnly: readonly string[];
    readonly destructive: readonly string[];
    /** From a project that is not trusted: it may only tighten. */
    readonly cautious: readonly string[];
  };
  /** Plugins with processes of their own whose word counts when they say that a tool needs no question. */
  readonly autoApprove: readonly string[];
  /** Undefined: as the rules say, else the person at the terminal. */
  readonly approver?: ApproverSettings;
  readonly audit: AuditSettings;
  readonly builtIns: boolean;
  readonly problems: readonly Problem[];
  /** Why only a user may call anything. */
  readonly broken?: string;
  /** What it was made of. */
  readonly entries: readonly HeldEntry[];
}

export interface AuditSettings {
  readonly folder: string;
  /** Where it is kept how each log ends: never in the folder itself. */
  readonly index: string;
  /** Where else that is kept. `url` and `token` may be references: `${env:NAME}`. */
  readonly sendHead?: Pick<HeadTarget, 'file' | 'url' | 'token' | 'required'>;
}

export interface ApproverSettings {
  readonly type: 'terminal' | 'webhook' | 'file' | 'none';
  readonly url?: string;
  /** May be a reference: `${env:NAME}`. */
  readonly token?: string;
  readonly folder?: string;
  readonly timeoutMs?: number;
}

/** `before`: of a file that cannot be read now, its earlier content still counts. */
export async function gateSettings(options: GateFilesOptions, before?: GateSettings): Promise<GateSettings> {
  const { entries, problems, broken } = await readEntries('gate', options, before?.entries);
  const { state } = homeFolders(options.env, options.home);
  const nothing: Merged = {
    permissions: [],
    limits: {},
    output: {},
    classes: { readOnly: [], destructive: [], cautious: [] },
    autoApprove: [],
    audit: { folder: path.join(state, 'audit'), index: path.join(state, 'audit-index') },
    builtIns: true,
    problems,
    entries,
  };
  const merged = entries.reduce((before, entry) => merge(before, entry, options), nothing);
  return {
    ...merged,
    limits: withUsualLimits(merged.limits),
    ...(broken !== undefined && (before === undefined || before.broken !== undefined) && { broken }),
  };
}

type Merged = Omit<GateSettings, 'broken'>;

/** As the schema has it. */
interface Written {
  readonly permissions?: string;
  readonly limits?: GateLimits;
  readonly output?: OutputOptions;
  readonly classes?: Partial<GateSettings['classes']>;
  readonly autoApprove?: readonly string[];
  readonly approver?: ApproverSettings;
  readonly audit?: Partial<Pick<AuditSettings, 'folder' | 'sendHead'>>;
  readonly builtIns?: boolean;
}

function merge(before: Merged, entry: HeldEntry, options: GateFilesOptions): Merged {
  // What the schema has found nothing wrong with.
  const written: Written = entry.value;
  const place = (text: string) => absolute(text, { folder: path.dirname(entry.file), home: options.home });
  const { trusted } = entry.trust;
  const only = trusted ? undefined : 'tighter';
  const { permissions, limits = {}, output = {}, classes = {}, builtIns } = written;
  const tightened: Merged = {
    ...before,
    permissions: [
      ...before.permissions,
      ...(permissions === undefined
        ? []
        : [{ file: place(permissions), isOwn: entry.isOwn && trusted, mayLoosen: trusted }]),
    ],
    limits: trusted
      ? mergeLimits(before.limits, limits)
      : mergeLimits(before.limits, underUsualLimits(limits, before.limits), only),
    output: mergeOutput(before.output, output, only),
    classes: {
      readOnly: [...before.classes.readOnly, ...(trusted ? (classes.readOnly ?? []) : [])],
      destructive: [...before.classes.destructive, ...(trusted ? (classes.destructive ?? []) : [])],
      cautious: [...before.classes.cautious, ...(trusted ? [] : (classes.destructive ?? []))],
    },
    builtIns: trusted ? (builtIns ?? before.builtIns) : before.builtIns && builtIns !== false,
  };
  if (!trusted) return { ...tightened, problems: [...before.problems, ...unused(entry, written)] };
  const { autoApprove = [], approver, audit } = written;
  return {
    ...tightened,
    autoApprove: [...new Set([...before.autoApprove, ...autoApprove])],
    ...(approver !== undefined && {
      approver: { ...approver, ...(approver.folder !== undefined && { folder: place(approver.folder) }) },
    }),
    audit: { ...before.audit, ...auditPlaces(audit, place, options) },
  };
}

function auditPlaces(
  { folder, sendHead }: NonNullable<Written['audit']> = {},
  place: (text: string) => string,
  { env, home }: GateFilesOptions,
): Partial<AuditSettings> {
  const at = folder === undefined ? undefined : place(folder);
  const { file } = sendHead ?? {};
  return {
    ...(at !== undefined && { folder: at, index: indexOf(at, homeFolders(env, home).state) }),
    ...(sendHead !== undefined && {
      sendHead: { ...sendHead, ...(file !== undefined && { file: place(file) }) },
    }),
  };
}

/** In the state folder, wherever the log is: a folder that is put back from a copy has no index in it. */
function indexOf(folder: string, state: string): string {
  const id = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return path.join(state, `audit-index-${id}`);
}

/** What would loosen, or decide for the user. */
function unused({ file, line, trust }: HeldEntry, written: Written): Problem[] {
  const keys = ['autoApprove', 'approver', 'audit'].filter((key) => Object.hasOwn(written, key));
  if (written.classes?.readOnly !== undefined) keys.push('classes.readOnly');
  if (written.builtIns === true) keys.push('builtIns');
  if (written.output?.callers !== undefined) keys.push('output.callers');
  if (written.output?.checkSchema === false) keys.push('output.checkSchema');
  if (keys.length === 0 || trust.trusted) return [];
  const { reason, wayOut } = trust;
  return [
    {
      file,
      line,
      severity: 'warning',
      reason: `gate (${keys.join(', ')}): not used, since ${reason}`,
      wayOut,
    },
  ];
}

const fixed = {
  audit: 'audit',
  builtIns: 'builtIns',
  autoApprove: 'autoApprove',
} as const satisfies Partial<Record<keyof GateSettings, string>>;

export function needsNewStart(before: GateSettings, after: GateSettings): Problem[] {
  const changed = Object.entries(fixed).filter(
    ([key]) => !isDeepStrictEqual(before[key as keyof typeof fixed], after[key as keyof typeof fixed]),
  );
  if (changed.length === 0) return [];
  return [
    {
      file: 'pluglot.json',
      severity: 'warning',
      reason: `gate (${changed.map(([, key]) => key).join(', ')}): it is another now`,
      wayOut: 'That counts from the next start of the host.',
    },
  ];
}
