// Who approves calls: the approver of the configuration, the channel of the rules, else the person at the terminal.
import path from 'node:path';
import { isSecretValue } from '../secrets/secret-shapes.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Environment } from '../fleet/discovery/config-places.ts';
import { expandReferences } from '../fleet/discovery/entry-spec.ts';
import type { Approver } from '../gate/approval/approver.ts';
import { fileApprover, terminalApprover, webhookApprover } from '../gate/approval/approvers.ts';
import { serialised } from '../gate/approval/serialised.ts';
import type { Permissions } from '../gate/policy/file/permissions-file.ts';
import type { TerminalPort } from '../outside/terminal.ts';
import type { ApproverSettings } from './gate-settings.ts';

export interface ApproverParts {
  readonly settings: ApproverSettings | undefined;
  readonly permissions: Permissions;
  readonly terminal: TerminalPort | undefined;
  readonly env: Environment;
  readonly fetch: typeof fetch;
  readonly secrets: Pick<Secrets, 'learn'>;
}

/** Undefined: no one can be asked. */
export function approverOf(parts: ApproverParts): Approver | undefined {
  const { type, timeoutMs, url, token, folder } = parts.settings ?? channelSettings(parts.permissions);
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

/** Settings from the channel of the first rules file that counts. */
export function channelSettings({ sources }: Permissions): ApproverSettings {
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

/** An approver that cannot be reached: every question fails with the reason. */
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
