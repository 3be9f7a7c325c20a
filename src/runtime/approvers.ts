// Who is asked: whoever the program that embeds this hands in, the configuration, what the rules name, else the person at the terminal.
import path from 'node:path';
import { isSecretValue } from '../base/secret-values.ts';
import type { Secrets } from '../base/secrets.ts';
import type { Environment } from '../fleet/discovery/home-folders.ts';
import { expandReferences } from '../fleet/discovery/references.ts';
import type { Approver } from '../gate/approval/approver.ts';
import { fileApprover } from '../gate/approval/file-exchange.ts';
import { serialised } from '../gate/approval/serialised.ts';
import { terminalApprover, type TerminalPort } from '../gate/approval/terminal.ts';
import { webhookApprover } from '../gate/approval/webhook.ts';
import type { Permissions } from '../gate/policy/file/permissions.ts';
import type { ApproverSettings } from './gate-settings.ts';

export interface ApproverParts {
  readonly settings: ApproverSettings | undefined;
  readonly permissions: Permissions;
  readonly terminal: TerminalPort | undefined;
  readonly env: Environment;
  readonly fetch: typeof fetch;
  readonly secrets: Pick<Secrets, 'learn'>;
}

/** Undefined: nobody can be asked. */
export function approverOf(parts: ApproverParts): Approver | undefined {
  const { type, timeoutMs, url, token, folder } = parts.settings ?? ofChannel(parts.permissions);
  const limit = timeoutMs === undefined ? {} : { limitMs: timeoutMs };
  switch (type) {
    case 'none':
      return undefined;
    case 'terminal':
      return parts.terminal && serialised(terminalApprover(parts.terminal, limit));
    case 'file':
      return folder === undefined ? missing('gate.approver.folder') : fileApprover({ folder, ...limit });
    case 'webhook': {
      if (url === undefined) return missing('gate.approver.url');
      const secret = token === undefined ? {} : { token: expanded(token, 'gate.approver', parts) };
      if (secret.token !== undefined) parts.secrets.learn([secret.token]);
      return webhookApprover({
        url: expanded(url, 'gate.approver', parts),
        ...secret,
        ...limit,
        fetch: parts.fetch,
      });
    }
  }
}

/** The channel of the first file that counts. */
function ofChannel({ sources }: Permissions): ApproverSettings {
  for (const { content, folder, trusted } of sources) {
    const channel = content?.channel;
    if (channel === undefined || !trusted) continue;
    const { type = 'console', endpoint, timeout, auth_token: token, base_path: base } = channel;
    return {
      type: type === 'console' ? 'terminal' : type === 'queue' ? 'none' : type,
      ...(endpoint !== undefined && { url: endpoint }),
      ...(token !== undefined && { token }),
      ...(base !== undefined && { folder: path.resolve(folder, base) }),
      ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
    };
  }
  return { type: 'terminal' };
}

/** Somebody is meant, and cannot be reached: every question is answered with why. */
function missing(what: string): Approver {
  return { ask: () => Promise.reject(new Error(`${what} is not set`)) };
}

/**
 * A setting with its references replaced; what they refer to becomes known as secret.
 * @throws when a variable is not set
 */
export function expanded(
  text: string,
  setting: string,
  { env, secrets }: Pick<ApproverParts, 'env' | 'secrets'>,
): string {
  const { text: whole, missing: variables, referred } = expandReferences(text, env);
  secrets.learn(referred.flatMap(({ value }) => (isSecretValue(value, false) ? [value] : [])));
  if (variables.length === 0) return whole;
  throw new Error(`the variable ${variables.join(', ')} of ${setting} is not set`);
}
