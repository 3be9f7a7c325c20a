// Commands of the user as prompts: what a command answers is what the user says to the model.
import type { JsonObject } from '../../base/json.ts';
import { jsonText } from '../../base/text.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { ServedPort } from '../../definition/plugin-port.ts';
import type { CommandManifest, Manifest } from '../../definition/manifest.ts';
import type { Answer } from '../../definition/outcome.ts';
import { detailsOf } from '../failure.ts';
import { wireCodes } from './codes.ts';
import { invalidParams, readObject, readText } from './client-requests.ts';

export function wirePrompt({ name, description, parameters }: CommandManifest): JsonObject {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0
      ? {}
      : {
          arguments: parameters.map((parameter) => ({
            name: parameter.name,
            ...(parameter.description === undefined ? {} : { description: parameter.description }),
            ...(parameter.required === undefined ? {} : { required: parameter.required }),
          })),
        }),
  };
}

/** @throws RpcError when the command failed: a prompt has no other way to say so */
export function promptResult(
  answer: Answer,
  { description, name, shareWithModel }: CommandManifest,
): JsonObject {
  if (!answer.ok) {
    const { code, message } = answer.error;
    if (code === 'UNKNOWN_TOOL') throw unknownPrompt(name);
    throw new RpcError(
      wireCodes[code] ?? standardErrors.internalError.code,
      message,
      detailsOf(answer.error),
    );
  }
  const text = answer.text ?? (answer.data === undefined ? '' : jsonText(answer.data));
  const content = {
    type: 'text',
    text,
    // What the author wants the model not to see is marked for the user alone.
    ...(shareWithModel ? {} : { annotations: { audience: ['user'] } }),
  };
  return {
    ...(description === undefined ? {} : { description }),
    messages: [{ role: 'user', content }],
  };
}

/** At most so many are sent at once. */
const COMPLETIONS_MAX = 100;

/** @throws RpcError -32602 */
export async function completion(params: JsonObject, backend: ServedPort): Promise<JsonObject> {
  const reference = readObject(params, 'ref');
  const argument = readObject(params, 'argument');
  if (reference['type'] !== 'ref/prompt') throw invalidParams('ref.type', reference['type'], '"ref/prompt"');
  const command = commandOf(readText(reference, 'name'), backend);
  const values = await completed(
    command.name,
    readText(argument, 'name'),
    readText(argument, 'value'),
    backend,
  );
  return {
    completion: {
      values: values.slice(0, COMPLETIONS_MAX),
      total: values.length,
      hasMore: values.length > COMPLETIONS_MAX,
    },
  };
}

/** Commands that are only for the user of a host are not prompts of a client. */
export function promptsOf({ commands = [] }: Pick<Manifest, 'commands'>): readonly CommandManifest[] {
  return commands.filter(({ forUsersOnly }) => forUsersOnly !== true);
}

/** @throws RpcError -32602 */
export function commandOf(name: string, { manifest }: Pick<ServedPort, 'manifest'>): CommandManifest {
  const command = promptsOf(manifest).find((known) => known.name === name);
  if (command === undefined) throw unknownPrompt(name);
  return command;
}

/** Arguments of prompts are texts. @throws RpcError -32602 */
export function promptArguments(params: JsonObject): JsonObject {
  const args = readObject(params, 'arguments');
  for (const [name, value] of Object.entries(args))
    if (typeof value !== 'string') throw invalidParams(`arguments.${name}`, value, 'a string');
  return args;
}

/** Suggestions are a help, and nothing fails for want of them. */
async function completed(
  command: string,
  parameter: string,
  typed: string,
  { commands }: ServedPort,
): Promise<readonly string[]> {
  try {
    return (await commands?.complete(command, parameter, typed)) ?? [];
  } catch {
    return [];
  }
}

function unknownPrompt(name: string): RpcError {
  return new RpcError(standardErrors.invalidParams.code, `Unknown prompt: ${name}`);
}
