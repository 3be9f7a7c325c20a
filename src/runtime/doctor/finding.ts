// What a look at this machine and its plugins can find. docs/doctor.md has a line for each, held by a test.

export type Severity = 'error' | 'warning' | 'info';

/** The ids are stable: people silence and search for them. */
export const findings = {
  // This machine.
  'node-too-old': ['error', 'the Node that runs pluglot is older than it needs'],
  'python-missing': ['info', 'there is no python3 in PATH, so that no plugin in Python can run'],
  'containment-weak': [
    'warning',
    'neither namespaces nor a warden work here: what outlives a killed host is ended by the next one',
  ],
  'sandbox-missing': [
    'warning',
    'there is no sandbox: commands are asked about, and confined plugins do not start',
  ],
  'sandbox-unlimited': ['info', 'no limit on memory or processes holds for confined programs'],
  'state-folder-unusable': ['error', 'the folder for what pluglot remembers cannot be written'],
  'state-folder-open': ['warning', 'others on this machine can read what pluglot remembers'],
  'audit-broken': ['error', 'the audit log is not as it was written'],
  'audit-open': ['warning', 'others on this machine can read or change the audit log or its key'],

  // Files.
  'config-broken': ['error', 'something in a configuration cannot be used and was skipped'],
  'config-odd': ['warning', 'something in a configuration is used, but maybe not as meant'],
  'no-plugins': ['info', 'no plugin is configured here'],

  // A plugin that cannot be used.
  'not-trusted': ['error', 'it was found on disk and nobody has said yet that it may be run'],
  disabled: ['info', 'the configuration says that it is not to be started'],
  'program-missing': ['error', 'its program is not there or may not be executed'],
  'value-missing': ['error', 'its configuration refers to something that is not there, such as a variable'],
  'exits-at-start': ['error', 'its process ends before it has introduced itself'],
  'start-refused': ['error', 'it answers, and says that it cannot start'],
  'start-timeout': ['error', 'it does not introduce itself in time'],
  'dialect-unknown': ['error', 'it answers in no dialect that pluglot knows'],
  'handshake-broken': ['error', 'what it says of itself is not what its protocol asks for'],
  'server-unreachable': ['error', 'the server that it is does not answer'],
  'login-needed': ['error', 'the server that it is wants to know who asks'],
  'module-broken': ['error', 'it runs inside of the host, and its module cannot be loaded or set up'],

  // A plugin that works, and what is wrong with it all the same.
  unhealthy: ['error', 'it says of itself that it does not work'],
  degraded: ['warning', 'it says of itself that a part of it does not work'],
  'requirement-missing': ['error', 'a program that it needs is not in its PATH'],
  'stdout-noise': [
    'warning',
    'it prints to stdout, where only messages belong; many hosts end such a plugin',
  ],
  'slow-start': ['warning', 'it takes seconds to introduce itself, and every host waits for that'],
  'schema-refused': ['warning', 'a provider of models does not take a tool of it, whatever is changed'],
  'schema-changed': [
    'info',
    'for a provider of models, a tool is declared so that some calls cannot be made',
  ],
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
