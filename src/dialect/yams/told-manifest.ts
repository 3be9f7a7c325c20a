// What an author end tells of its plugin, in the words of handshake.manifest and yams-plugin.json.
import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../../definition/backend.ts';
import type { Tool } from '../../definition/tool.ts';
import { hostOnlyMethods, interfaces, methods } from './schema.ts';
import { toWireName } from './wire-name.ts';

export function toldManifest(profile: Profile): JsonObject {
  const { name, version, description, author, extractor } = profile;
  return {
    name: toWireName(name),
    version,
    ...(description === undefined ? {} : { description }),
    ...(author === undefined ? {} : { author }),
    interfaces: [...(extractor === undefined ? [] : [interfaces.extractor]), interfaces.tools],
    capabilities: {
      ...(extractor === undefined
        ? {}
        : {
            content_extraction: {
              formats: extractor.formats,
              extensions: extractor.extensions.map(withDot),
            },
          }),
      tools: toldTools(profile),
    },
  };
}

/** A method is a tool by its name, so a tool of a name that the protocol has taken cannot be called. */
export function callableTools({ tools, extractor }: Profile): readonly Tool[] {
  const taken = new Set<string>(hostOnlyMethods).add(methods.health);
  if (extractor !== undefined) taken.add(methods.supports).add(methods.extract);
  return tools.filter(({ name }) => !taken.has(name));
}

function toldTools(profile: Profile): JsonObject[] {
  const approved = new Set(profile.autoApprove);
  return callableTools(profile).map((tool) => ({
    ...toldTool(tool),
    ...(approved.has(tool.name) ? { auto_approve: true } : {}),
  }));
}

function toldTool({ name, description, inputSchema, facet }: Tool): JsonObject {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: inputSchema ?? { type: 'object' },
    // So that hosts of ours hold the conversation with it.
    ...(facet === 'talk' ? { facet } : {}),
  };
}

function withDot(extension: string): string {
  return extension.startsWith('.') ? extension : `.${extension}`;
}
