// What plugins need of this machine, and what pluglot keeps on it.
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { toError } from '../../base/error.ts';
import { findInPath } from '../../base/search-path.ts';
import { sentence, shellWord } from '../../base/text.ts';
import { type OpenPlace, otherWriters } from '../../fleet/trust/paths.ts';
import type { ContainmentMode } from '../../fleet/supervisor/containment.ts';
import { type AuditProblem, verifyAudit } from '../../gate/audit/verify-audit.ts';
import type { AuditSettings } from '../gate-settings.ts';
import { isSandbox } from '../../gate/sandbox/find-sandbox.ts';
import type { Sandbox, SandboxMissing } from '../../gate/sandbox/sandbox.ts';
import { finding, type Finding } from './finding.ts';

export interface Machine {
  readonly node: string;
  readonly platform: string;
  readonly python?: string;
  readonly containment?: ContainmentMode;
  /** The sandbox of confined programs; undefined where there is none. */
  readonly sandbox?: Sandbox['kind'];
  readonly stateFolder: string;
  /** Lines of it; undefined where there is none yet. */
  readonly audit?: number;
}

export interface MachineParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** @default that of this process */
  readonly nodeVersion?: string;
  readonly stateFolder: string;
  readonly audit: AuditSettings;
  readonly containment: () => Promise<ContainmentMode>;
  readonly sandbox: () => Promise<Sandbox | SandboxMissing>;
}

export async function examineMachine(
  parts: MachineParts,
): Promise<{ readonly machine: Machine; readonly findings: readonly Finding[] }> {
  const { env, cwd, stateFolder, nodeVersion = process.versions.node } = parts;
  const python = findInPath('python3', { path: env['PATH'] ?? '', cwd });
  const state = await stateFindings(stateFolder);
  const containment = state.some(({ severity }) => severity === 'error') ? undefined : await modeOf(parts);
  const audit = await auditFindings(parts.audit);
  const sandbox = await parts.sandbox();
  const machine: Machine = {
    node: nodeVersion,
    platform: `${process.platform} ${process.arch}`,
    ...(python !== undefined && { python }),
    ...(containment !== undefined && { containment }),
    ...(isSandbox(sandbox) && { sandbox: sandbox.kind }),
    stateFolder,
    ...(audit.lines !== undefined && { audit: audit.lines }),
  };
  return {
    machine,
    findings: [
      ...nodeFindings(nodeVersion),
      ...state,
      ...(containment === 'group' ? [weakContainment()] : []),
      ...sandboxFindings(sandbox),
      ...audit.findings,
      ...(python === undefined ? [noPython()] : []),
    ],
  };
}

const NEEDED = [20, 19] as const;

function nodeFindings(version: string): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return [];
  return [
    finding({
      code: 'node-too-old',
      what: `This is Node ${version}; pluglot needs ${NEEDED.join('.')} or newer.`,
      fix: 'Install a newer one from https://nodejs.org, or with a version manager.',
      command: 'nvm install --lts',
    }),
  ];
}

async function stateFindings(folder: string): Promise<Finding[]> {
  try {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    await fs.access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const { mode, uid } = await fs.stat(folder);
    if (process.getuid !== undefined && uid !== process.getuid())
      return [unusable(folder, `${folder} belongs to another user`)];
    const isReadable = process.platform !== 'win32' && (mode & 0o077) !== 0;
    // Of a file that would lie in it: so the folder itself is looked at too.
    const open = otherWriters(path.join(folder, 'trust.json'), 'state');
    return [
      ...(isReadable ? [readable(folder)] : []),
      ...(open !== undefined && open.place !== folder ? [replaceable(folder, open)] : []),
    ];
  } catch (thrown) {
    return [unusable(folder, toError(thrown).message)];
  }
}

function readable(folder: string): Finding {
  return finding({
    code: 'state-folder-open',
    what: `Other users can look into ${folder}, where logs, tokens and what is trusted are kept.`,
    fix: 'Make it accessible to you alone.',
    command: `chmod 700 ${shellWord(folder)}`,
  });
}

function replaceable(folder: string, { place, reason, fix }: OpenPlace): Finding {
  return finding({
    code: 'state-folder-open',
    what: `${place} ${reason}, who can thereby replace what pluglot keeps in ${folder}: nothing is trusted.`,
    fix: 'Make it writable for its owner alone, or choose another folder with PLUGLOT_HOME.',
    command: fix,
  });
}

function unusable(folder: string, why: string): Finding {
  return finding({
    code: 'state-folder-unusable',
    what: `What pluglot remembers cannot be kept: ${sentence(why)}`,
    fix: 'Make the folder writable, or choose another with PLUGLOT_HOME.',
    command: `export PLUGLOT_HOME=${shellWord(path.join(path.dirname(path.dirname(folder)), 'pluglot-home'))}`,
  });
}

async function modeOf({ containment }: MachineParts): Promise<ContainmentMode | undefined> {
  try {
    return await containment();
  } catch {
    // A finding of each plugin shows that nothing can be started.
    return undefined;
  }
}

function weakContainment(): Finding {
  return finding({
    code: 'containment-weak',
    what: 'Plugins of a host that was killed are ended only when the next one starts.',
    fix: 'Install bubblewrap, with which the system ends them at once.',
    command: 'sudo apt install bubblewrap',
  });
}

function sandboxFindings(sandbox: Sandbox | SandboxMissing): Finding[] {
  if (!isSandbox(sandbox)) {
    return [
      finding({
        code: 'sandbox-missing',
        what: `Programs cannot be confined: ${sentence(sandbox.missing)} Commands that rules allow are asked about, and plugins with "sandbox" do not start.`,
        fix: sentence(sandbox.fix),
        ...(process.platform === 'linux' && { command: 'sudo apt install bubblewrap' }),
      }),
    ];
  }
  const { memoryBytes, processes } = sandbox.limits;
  const unlimited = [...(memoryBytes ? [] : ['memory']), ...(processes ? [] : ['processes'])];
  if (unlimited.length === 0) return [];
  return [
    finding({
      code: 'sandbox-unlimited',
      what: `No limit on ${unlimited.join(' and ')} holds for confined programs: no control group is writable.`,
      fix: 'Run pluglot in a session of systemd, as `systemd-run --user --scope -p Delegate=yes` does, or as a service with Delegate=yes.',
      command: 'systemd-run --user --scope -p Delegate=yes pluglot up',
    }),
  ];
}

function noPython(): Finding {
  return finding({
    code: 'python-missing',
    what: 'There is no python3 in PATH; plugins in Python cannot run.',
    fix: 'Install Python 3, if you want any.',
  });
}

async function auditFindings(audit: AuditSettings): Promise<{ lines?: number; findings: Finding[] }> {
  const { folder, index, sendHead } = audit;
  const { ok, lines, files, problems } = await verifyAudit(folder, { index, sentHeads: sendHead?.file });
  if (ok && files === 0) return { findings: [] };
  return { lines, findings: problems.slice(0, AUDIT_PROBLEMS_SHOWN).map(auditFinding) };
}

const AUDIT_PROBLEMS_SHOWN = 5;

function auditFinding({ file, line, problem, fix }: AuditProblem): Finding {
  const what = `${line === undefined ? file : `${file}:${line}`}: ${problem}`;
  if (fix !== undefined)
    return finding({ code: 'audit-open', what, fix: 'Make it yours alone.', command: fix });
  return finding({
    code: 'audit-broken',
    what,
    fix: 'Find out who changed it; move the audit folder and its index away to begin anew.',
    command: 'pluglot audit verify',
  });
}
