// Why a plugin does not start, from the error of the fleet to what its user can do.
import { PluglotError, toError, type ErrorCode } from '../../base/error.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { maskedEntry } from '../../fleet/discovery/secrets.ts';
import { finding, type Finding, type FindingCode } from './finding.ts';

export function startFailure(spec: PluginSpec, thrown: unknown): Finding {
  const error = toError(thrown);
  const code = error instanceof PluglotError ? error.code : 'INTERNAL';
  const isServer = spec.start.kind === 'http';
  const found = (isServer ? ofServers[code] : undefined) ?? byCode[code] ?? 'start-refused';
  const stderr = error instanceof PluglotError ? error.stderr : undefined;
  return finding({
    code: found,
    plugin: spec.name,
    what: error.message,
    ...wayOut(found, spec),
    ...(stderr !== undefined && { stderr }),
  });
}

const byCode: Readonly<Partial<Record<ErrorCode, FindingCode>>> = {
  NOT_TRUSTED: 'not-trusted',
  PROGRAM_NOT_FOUND: 'program-missing',
  CONFIG_INVALID: 'value-missing',
  PLUGIN_EXITED: 'exits-at-start',
  PIPE_ENDED: 'exits-at-start',
  CRASH_LOOP: 'exits-at-start',
  START_TIMEOUT: 'start-timeout',
  DIALECT_UNKNOWN: 'dialect-unknown',
  INVALID_RESPONSE: 'handshake-broken',
  PROTOCOL_VIOLATION: 'handshake-broken',
  UNSUPPORTED_PROTOCOL: 'handshake-broken',
  MESSAGE_REFUSED: 'handshake-broken',
  FRAME_TOO_LARGE: 'handshake-broken',
  REQUIREMENT_MISSING: 'requirement-missing',
  UNAUTHENTICATED: 'login-needed',
};

const ofServers: Readonly<Partial<Record<ErrorCode, FindingCode>>> = {
  PLUGIN_EXITED: 'server-unreachable',
  PIPE_ENDED: 'server-unreachable',
  START_FAILED: 'server-unreachable',
  UNAVAILABLE: 'server-unreachable',
  START_TIMEOUT: 'server-unreachable',
};

function wayOut(code: FindingCode, spec: PluginSpec): Pick<Finding, 'fix' | 'command'> {
  const name = shellWord(spec.name);
  const asTyped = commandOf(spec);
  const run = asTyped === undefined ? {} : { command: asTyped };
  switch (code) {
    case 'program-missing':
      return { fix: 'Install the program, or correct its "command" in the configuration.' };
    case 'value-missing':
      return { fix: 'Set what is missing, then look again.', command: `pluglot doctor ${name}` };
    case 'exits-at-start':
      return { fix: 'Run it by hand, and fix what it reports.', ...run };
    case 'start-timeout':
      return { fix: 'If it only needs longer, raise limits.startMs; else run it by hand.', ...run };
    case 'dialect-unknown':
      return { fix: 'Name its "dialect" in the configuration; if it is no plugin, remove it.' };
    case 'handshake-broken':
      return {
        fix: 'See what it says, and what its protocol asks for.',
        ...(asTyped !== undefined && { command: `pluglot check -- ${asTyped}` }),
      };
    case 'server-unreachable':
      return { fix: 'Start the server, or correct its "url" in the configuration.' };
    case 'login-needed':
      return { fix: 'Let it in once, in the browser.', command: `pluglot inspect ${name}` };
    default:
      return { fix: 'See all that it says.', command: `pluglot inspect -vv ${name}` };
  }
}

/** As it would be typed; what looks like a secret is masked. */
function commandOf({ start }: PluginSpec): string | undefined {
  if (start.kind !== 'program') return undefined;
  const [program = '', ...args] = start.shown ?? [start.command, ...(start.args ?? [])];
  // Options need no quotes, and are easier to read without.
  const word = (text: string) => (/^--?[\w=./-]*$/.test(text) ? text : shellWord(text));
  return [program, ...(maskedEntry({ args }).args ?? [])].map(word).join(' ');
}
