// The gate as a plugin: a model asks for permission, the user shows and changes the rules of this session.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { printableLine } from '../../base/printable.ts';
import type { Caller } from '../../definition/caller.ts';
import type { Definition } from '../../definition/definition.ts';
import { definePlugin } from '../../definition/define-plugin.ts';
import { fail } from '../../definition/failure.ts';
import { result } from '../../definition/outcome.ts';
import type { HostPorts } from '../host-ports.ts';
import { completions, runPermissions, USAGE } from './permissions-command.ts';

/** The default caller: tools are called for a model. */
const MODEL: Caller = { kind: 'model' };

/** A person may take long, and other questions may come first; each of them has its own limit. */
const ASK_MS = 60 * 60_000;

const config = {
  type: 'object',
  properties: {
    ask: {
      type: 'boolean',
      default: true,
      description:
        'Whether askPermission may ask the user. If not, it returns what the rules decide, and open questions are not allowed.',
    },
    max_shown: {
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      default: 50,
      description: 'How many rules of each list "permissions show" shows.',
    },
  },
  additionalProperties: false,
} as const;

export function permissionPlugin(ports: Pick<HostPorts, 'gate'>): Definition {
  return definePlugin({
    name: 'permission',
    version: '1.0.0',
    description: 'What may be called: asked by the model, shown and changed by the user.',
    instructions: [
      'Calls of tools are checked against rules, and where these leave it open the user is asked. A call that is not allowed answers "Permission denied: …" with the reason: do not try the same in another way, but explain to the user what you need it for.',
      'Use askPermission before work that makes no sense unless a later call is allowed: name the tool, the arguments you mean to use and, as intent, what you want to achieve. It calls nothing.',
    ].join('\n'),
    config,
    autoApprove: ['askPermission'],
    tools: {
      askPermission: {
        description:
          'Asks whether a tool may be called with these arguments, without calling it. The answer holds for these arguments; the call itself is checked again.',
        input: {
          type: 'object',
          properties: {
            tool_name: { type: 'string', minLength: 1, description: 'The name of the tool.' },
            intent: {
              type: 'string',
              minLength: 1,
              description: 'What you want to achieve with it; shown to the user.',
            },
            arguments: {
              type: 'object',
              description:
                'The arguments you mean to call it with. Without them, the rules decide on a call with none.',
            },
          },
          required: ['tool_name', 'intent'],
          additionalProperties: false,
        },
        output: {
          type: 'object',
          properties: {
            allowed: { type: 'boolean' },
            reason: { type: 'string' },
            method: { type: 'string' },
            tool_name: { type: 'string' },
          },
          required: ['allowed', 'reason', 'method', 'tool_name'],
        },
        hints: { readOnly: true },
        timeoutMs: ASK_MS,
        handler: async (given, context) => {
          const { tool_name: name, intent } = given;
          const args: JsonObject = isJsonObject(given.arguments) ? given.arguments : {};
          if (name.trim() === '')
            fail({ code: 'INVALID_ARGUMENTS', message: 'The name of the tool is empty.' });
          const caller = context.caller ?? MODEL;
          const answer = context.config.ask
            ? await asked(ports, name, args, caller, intent)
            : await decided(ports, name, args, caller);
          const verdict = answer.allowed ? 'may be called' : 'may not be called';
          return result({
            text: `${printableLine(name, 100)} ${verdict}: ${answer.reason}`,
            data: { ...answer, tool_name: name },
          });
        },
      },
    },
    commands: {
      permissions: {
        description: `Shows and changes what may be called: ${USAGE}`,
        parameters: [
          { name: 'action', description: 'show, check, allow, deny, default or clear.' },
          {
            name: 'value',
            description:
              'check: a tool and its arguments; allow, deny: a pattern; default: allow, deny or ask.',
            captureRest: true,
          },
        ],
        shareWithModel: false,
        forUsersOnly: true,
        handler: (args, context) => runPermissions(args, ports.gate(), context.config.max_shown),
        complete: (parameter, typed) => completions(parameter, typed, () => ports.gate().policy.view()),
      },
    },
  });
}

interface PermissionAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly method: string;
}

async function asked(
  ports: Pick<HostPorts, 'gate'>,
  name: string,
  args: JsonObject,
  caller: Caller,
  intent: string,
): Promise<PermissionAnswer> {
  const { allowed, reason, method } = await ports.gate().askPermission(name, args, caller, intent);
  return { allowed, reason, method };
}

async function decided(
  ports: Pick<HostPorts, 'gate'>,
  name: string,
  args: JsonObject,
  caller: Caller,
): Promise<PermissionAnswer> {
  const verdict = await ports.gate().check(name, args, caller);
  const { method } = verdict;
  if (verdict.kind !== 'ask') return { allowed: verdict.kind === 'allow', reason: verdict.reason, method };
  return { allowed: false, reason: `the user is asked when it is called (${verdict.reason})`, method };
}
