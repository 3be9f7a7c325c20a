// The official SDKs, recognised by their answers. An author cannot fix where they differ from the specification.
import { isJsonArray, isJsonObject, type JsonObject } from '../base/json.ts';
import type { DialectName } from '../definition/plugin-spec.ts';
import type { HandshakeResult } from './driver.ts';
import type { Subject } from './subject.ts';

export interface OfficialSdk {
  readonly name: string;
  /** What it does instead, by the id of each check that no plugin on it passes. */
  readonly limits: Readonly<Record<string, string>>;
  /** By its answer to a call of a tool that does not exist. */
  readonly isSeenIn: (answer: JsonObject, handshake: HandshakeResult) => boolean;
}

/** The SDK of the plugin; undefined when it uses none, or it is not recognised. */
export async function officialSdkOf(subject: Subject): Promise<OfficialSdk | undefined> {
  const candidates = officialSdks[subject.driver.dialect] ?? [];
  if (candidates.length === 0) return undefined;
  const { conversation, handshake, probe } = await subject.connect();
  const { message } = await conversation.call({ ...probe, tool: MISSING_TOOL, args: {} });
  return candidates.find(({ isSeenIn }) => isSeenIn(message, handshake));
}

const MISSING_TOOL = 'no_such_tool';

const ofEveryGassistSdk = {
  'gassist:initialize:result-capabilities': 'It lists commands, and no capabilities.',
  'gassist:author:other-version-refused': 'It takes every version of the engine.',
  'gassist:author:shutdown-request': 'It exits without an answer.',
  'gassist:codes:invalid-params': 'It takes a missing name for an empty one: -32601.',
  'gassist:codes:invalid-request': 'It ignores a request without a method.',
  'fault:ping-during-call': 'It reads the next message when the handler is done.',
} as const;

export const officialSdks: Partial<Record<DialectName, readonly OfficialSdk[]>> = {
  gassist: [
    {
      name: 'the G-Assist SDK for Python',
      limits: {
        ...ofEveryGassistSdk,
        'gassist:codes:parse-error': 'It logs what it cannot parse, and goes on.',
        'fault:oversize-message': 'It loses its place in the stream, and reads the rest as lengths.',
        'fault:wrong-params': 'It logs params that are not an object, and goes on.',
        'fault:sigterm': 'It notices the signal with the next message.',
      },
      isSeenIn: ({ error }, handshake) => isUnknownCommand(error) && hasNoCapabilities(handshake),
    },
    {
      name: 'the G-Assist SDK for Node.js or C++',
      limits: {
        ...ofEveryGassistSdk,
        'gassist:codes:parse-error': 'It exits at what it cannot parse.',
        'fault:bad-json': 'It exits at what it cannot parse.',
        'fault:no-request': 'It exits at what is not an object.',
        'fault:oversize-message': 'It exits at a length over 10 MiB.',
        'fault:unknown-method': 'It ignores unknown methods.',
      },
      isSeenIn: ({ method, params }, handshake) =>
        method === 'error' && isUnknownCommand(params) && hasNoCapabilities(handshake),
    },
  ],
  gevals: [
    {
      name: 'the gevals SDK for Go',
      limits: {
        'gevals:categories:unknown-operation':
          'It answers with a result: success false, "unknown operation".',
        'gevals:categories:missing-argument': 'It leaves the check of arguments to the host and the handler.',
        'gevals:categories:invalid-json': 'It exits with 1 at what it cannot parse.',
        'gevals:errors:invalid-request': 'It takes a message without a method for a response.',
        'gevals:errors:timeout': 'What a handler fails with is a result, never an error with a number.',
        'fault:bad-json': 'It exits with 1 at what it cannot parse.',
        'fault:no-request': 'It exits with 1 at what is not a JSON-RPC message.',
        'fault:oversize-message': 'It exits with 1 at a line of 64 KiB.',
        'fault:blank-lines': 'It exits with 1 at a blank line.',
      },
      isSeenIn: ({ result }) =>
        isJsonObject(result) &&
        result['success'] === false &&
        result['error'] === `unknown operation: ${MISSING_TOOL}`,
    },
  ],
  mcp: [
    {
      name: 'the MCP SDK for TypeScript',
      limits: {
        'mcp:server:cursor-invalid': 'Its tools have one page, whatever cursor is given.',
        'fault:oversize-message': 'It closes the connection at a message over its limit.',
        'fault:wrong-params': 'It ignores a request whose params are not an object.',
      },
      isSeenIn: ({ error, result }) =>
        (isJsonObject(error) && isToolNotFound(error['message'])) ||
        (isJsonObject(result) && isToolNotFound(textOf(result))),
    },
  ],
};

function isUnknownCommand(error: unknown): boolean {
  return (
    isJsonObject(error) && error['code'] === -32601 && error['message'] === `Unknown command: ${MISSING_TOOL}`
  );
}

function hasNoCapabilities({ raw }: HandshakeResult): boolean {
  return isJsonObject(raw) && Array.isArray(raw['commands']) && !('capabilities' in raw);
}

/** Version 1 answers with a result. */
function isToolNotFound(text: unknown): boolean {
  return (
    text === `Tool ${MISSING_TOOL} not found` || text === `MCP error -32602: Tool ${MISSING_TOOL} not found`
  );
}

function textOf({ content }: JsonObject): unknown {
  const [part] = isJsonArray(content) ? content : [];
  return isJsonObject(part) ? part['text'] : undefined;
}
