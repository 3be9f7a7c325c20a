// How a server of ours introduces itself: which version is spoken, and what can be asked of it.
import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../../definition/backend.ts';

/** The latest first. */
const serverVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export function helloResult(offeredVersion: string, profile: Profile): JsonObject {
  const { name, version, description, instructions } = profile;
  return {
    // A client that does not speak our latest either will leave.
    protocolVersion: serverVersions.find((known) => known === offeredVersion) ?? serverVersions[0],
    capabilities: {
      tools: { listChanged: true },
      logging: {},
      ...(profile.commands.length === 0 ? {} : { prompts: { listChanged: true }, completions: {} }),
    },
    serverInfo: { name, version, ...(description === undefined ? {} : { description }) },
    ...(instructions === undefined ? {} : { instructions }),
  };
}
