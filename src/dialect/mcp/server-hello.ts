// How a server of ours introduces itself: which version is spoken, and what can be asked of it.
import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../../definition/backend.ts';
import { promptsOf } from './server-prompts.ts';

/** The latest first. */
const serverVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export function helloResult(offeredVersion: string, profile: Profile): JsonObject {
  const { instructions } = profile;
  return {
    // A client that does not speak our latest either will leave.
    protocolVersion: serverVersions.find((known) => known === offeredVersion) ?? serverVersions[0],
    capabilities: capabilitiesOf(profile),
    serverInfo: serverInfoOf(profile),
    ...(instructions === undefined ? {} : { instructions }),
  };
}

export function capabilitiesOf(profile: Profile): JsonObject {
  return {
    tools: { listChanged: true },
    logging: {},
    ...(promptsOf(profile).length === 0 ? {} : { prompts: { listChanged: true }, completions: {} }),
  };
}

export function serverInfoOf({ name, version, description }: Profile): JsonObject {
  return { name, version, ...(description === undefined ? {} : { description }) };
}
