// What a plugin says of itself in answer to `initialize`, and what of the question makes it refuse.
import type { JsonObject } from '../../base/json.ts';
import { shown } from '../../base/shown.ts';
import { RpcError, standardErrors } from '../../channel/message/rpc-error.ts';
import type { Backend, Profile } from '../../definition/backend.ts';
import { facetCollision, type Offer } from '../facet-tools.ts';
import { isPresent, isVersion2, PROTOCOL_VERSION } from './schema.ts';
import { INPUT_HANDLER } from './tools.ts';

/** @throws RpcError when the engine speaks another version, or a name would stand for two things */
export function introduction(
  backend: Backend,
  { profile }: Pick<Offer, 'profile'>,
  { protocol_version: version }: JsonObject,
): JsonObject {
  // An engine that does not say which version it speaks is believed to speak this one.
  if (isPresent(version) && !isVersion2(version)) {
    throw new RpcError(
      standardErrors.invalidParams.code,
      `Plugin "${profile.name}" speaks version ${PROTOCOL_VERSION} of the G-Assist protocol; the engine asked for ${shown(version, 40)} in protocol_version.`,
    );
  }
  const talks = backend.talk !== undefined;
  const collision = facetCollision(backend) ?? (talks ? inputCollision(profile) : undefined);
  if (collision !== undefined) throw new RpcError(standardErrors.internalError.code, collision);
  const { name, version: pluginVersion, description } = profile;
  return {
    name,
    version: pluginVersion,
    ...(description !== undefined && { description }),
    protocol_version: PROTOCOL_VERSION,
    capabilities: ['streaming', ...(talks ? ['passthrough'] : [])],
    commands: commandsOf(profile, talks),
  };
}

function inputCollision({ name, tools }: Profile): string | undefined {
  if (!tools.some((tool) => tool.name === INPUT_HANDLER)) return undefined;
  return `Plugin "${name}" has a tool that is called "${INPUT_HANDLER}", and takes part in conversations, whose handler has that name in G-Assist. Rename the tool.`;
}

function commandsOf({ tools }: Profile, talks: boolean): readonly JsonObject[] {
  const commands = tools.map(({ name, description = '' }) => ({ name, description }));
  if (!talks) return commands;
  return [...commands, { name: INPUT_HANDLER, description: 'Takes what the user says in a session.' }];
}
