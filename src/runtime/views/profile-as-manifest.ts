// What a plugin in this process says of itself, as those with processes introduce themselves.
import type { Profile } from '../../definition/backend.ts';
import type { ShownManifest } from '../api.ts';

export function profileAsManifest(profile: Profile): ShownManifest {
  const { name, version, description, author, instructions, requires, extractor, talks, tools } = profile;
  return {
    name,
    version,
    dialect: 'in-process',
    tools,
    ...(description !== undefined && { description }),
    ...(author !== undefined && { author }),
    ...(instructions !== undefined && { instructions }),
    ...(requires !== undefined && { requires }),
    ...(extractor !== undefined && { extractor }),
    ...(talks === true && { capabilities: ['talk'] }),
    raw: null,
  };
}
