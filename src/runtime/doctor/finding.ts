// What a look at this machine and its plugins can find. docs/doctor.md has a line for each, held by a test.
import { sentence } from '../../base/text.ts';
import type { Found as FoundPlugin, FoundModule } from '../../fleet/discovery/discover.ts';

export type Severity = 'error' | 'warning' | 'info';

/** The ids are stable: people silence and search for them. */
export const findings = {
  // This machine.
  'node-too-old': ['error', 'Node is older than pluglot requires'],
  'python-missing': ['info', 'python3 is not in PATH, so plugins in Python cannot run'],
  'containment-weak': [
    'warning',
    'neither namespaces nor a warden are available: processes that outlive a killed host are ended by the next host',
  ],
  'sandbox-missing': [
    'warning',
    'there is no sandbox: commands are asked about, and confined plugins do not start',
  ],
  'sandbox-unlimited': ['info', 'memory and processes of confined programs are not limited'],
  'state-folder-unusable': ['error', 'the state folder cannot be written'],
  'state-folder-open': ['warning', 'other users of this machine can read or replace the state folder'],
  'audit-broken': ['error', 'the audit log was changed'],
  'audit-open': ['warning', 'other users of this machine can read or change the audit log or its key'],

  // Files.
  'config-broken': ['error', 'a part of a configuration file is invalid and was skipped'],
  'config-odd': ['warning', 'a part of a configuration file is valid but suspicious'],
  'no-plugins': ['info', 'no plugin is configured here'],

  // A plugin that cannot be used.
  'not-trusted': ['error', 'it was found on disk and is not trusted yet'],
  disabled: ['info', 'the configuration disables it'],
  'program-missing': ['error', 'its program does not exist or is not executable'],
  'value-missing': ['error', 'its configuration refers to a missing variable or file'],
  'exits-at-start': ['error', 'its process exits before the handshake'],
  'start-refused': ['error', 'it answers the handshake with an error'],
  'start-timeout': ['error', 'it does not complete the handshake in time'],
  'dialect-unknown': ['error', 'it answers in no dialect that pluglot knows'],
  'handshake-broken': ['error', 'its manifest does not follow its protocol'],
  'server-unreachable': ['error', 'its server does not answer'],
  'login-needed': ['error', 'its server requires a login'],
  'module-broken': ['error', 'it runs inside the host, and its module cannot be loaded or set up'],

  // A plugin that works, and what is wrong with it all the same.
  unhealthy: ['error', 'it reports that it is unhealthy'],
  degraded: ['warning', 'it reports that a part of it does not work'],
  'requirement-missing': ['error', 'a program that it needs is not in its PATH'],
  'stdout-noise': [
    'warning',
    'it prints to stdout, which is for messages only; many hosts stop such a plugin',
  ],
  'slow-start': ['warning', 'its handshake takes seconds, and every host waits for it'],
  'schema-refused': ['warning', 'a model provider does not accept one of its tools, even adapted'],
  'schema-changed': ['info', 'for a model provider, a tool is declared in a form that excludes some calls'],
} as const satisfies Readonly<Record<string, readonly [Severity, string]>>;

export type FindingCode = keyof typeof findings;

export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** Undefined: it is about this machine or its files. */
  readonly plugin?: string;
  /** What is wrong, as a sentence. */
  readonly what: string;
  /** What to do about it, as a sentence. */
  readonly fix: string;
  /** To copy, where one command does it. */
  readonly command?: string;
  /** The last that a plugin printed. */
  readonly stderr?: string;
}

export type Found = Omit<Finding, 'severity'>;

export function finding(found: Found): Finding {
  return { severity: findings[found.code][0], ...found };
}

export interface Diagnosis {
  readonly name: string;
  /** The file that says so. */
  readonly from: string;
  /** Undefined: it was not asked. */
  readonly dialect?: string;
  readonly version?: string;
  readonly tools?: number;
  readonly health?: string;
  readonly startMs?: number;
  readonly findings: readonly Finding[];
}

/** What is not trusted is never executed. */
export function refusal(name: string, { trust, disabled }: FoundPlugin | FoundModule): Finding | undefined {
  if (disabled !== undefined) {
    const place = [disabled.file, disabled.line].filter((part) => part !== undefined).join(':');
    const fix = 'Take "disabled" away there to use it.';
    return finding({ code: 'disabled', plugin: name, what: `It is disabled in ${place}.`, fix });
  }
  if (trust.trusted) return undefined;
  const [command] = /pluglot trust add .*$/.exec(trust.wayOut) ?? [];
  return finding({
    code: 'not-trusted',
    plugin: name,
    what: `It may not be run: ${sentence(trust.reason)}`,
    fix: trust.wayOut.replace(/: pluglot trust add .*$/, ' say that it may be run.'),
    ...(command !== undefined && { command }),
  });
}
