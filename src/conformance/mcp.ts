// MCP over stdio: driver, and checks of the handshake and of requests during calls.
import { isJsonArray, isJsonObject, type JsonObject } from '../base/json.ts';
import { MiB } from '../base/units.ts';
import { shown } from '../base/text.ts';
import type { Tool } from '../definition/tool.ts';
import { methods, notifications, readTool } from '../dialect/mcp/schema.ts';
import {
  group,
  passed,
  failed,
  doesNotApply,
  verdict,
  NotApplicable,
  answered,
  isText,
  handshakeOf,
  logged,
  longestCall,
} from './check.ts';
import type { Conversation } from './conversation.ts';
import { type Driver, driver, initialize, endByResponse, request, padded } from './driver.ts';
import type { Subject } from './subject.ts';

export const mcpDriver: Driver = driver({
  dialect: 'mcp',
  largestMessage: MiB,
  oversizeMessage: 17 * MiB,
  async connect(conversation) {
    const raw = await initialize(conversation, handshakeParams(PROTOCOL_VERSION));
    conversation.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return { raw, tools: await listTools(conversation) };
  },
  callMessage: (id, { tool, args }) =>
    request(id, methods.callTool, { name: tool, arguments: args, _meta: { progressToken: id } }),
  argumentsIn: 'arguments',
  endOfCall: (id, message) =>
    endByResponse(id, message, (result) => isJsonObject(result) && result['isError'] !== true),
  livenessRequest: (id, _, padding) =>
    request(id, methods.ping, padding === undefined ? undefined : { _meta: padded(padding) }),
});

const PROTOCOL_VERSION = '2025-11-25';
const PAGES_MAX = 100;

async function listTools(conversation: Conversation): Promise<Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { result } = await conversation.request(methods.listTools, cursor === undefined ? {} : { cursor });
    const { tools: listed, nextCursor } = isJsonObject(result) ? result : ({} as JsonObject); // nothing listed
    for (const each of isJsonArray(listed) ? listed : []) {
      const tool = readTool(each);
      if (typeof tool !== 'string') tools.push(tool);
    }
    if (typeof nextCursor !== 'string') break;
    cursor = nextCursor;
  }
  return tools;
}

export const mcpHandshakeChecks = group('Handshake', [
  {
    id: 'mcp:server:hello-fields',
    title: 'The answer to initialize says who the server is and what it can do',
    fix: 'Answer initialize with "protocolVersion", "capabilities" and "serverInfo": { "name", "version" }.',
    async run(subject) {
      const { protocolVersion, capabilities, serverInfo } = await handshakeOf(subject);
      const { name, version } = isJsonObject(serverInfo) ? serverInfo : ({} as JsonObject); // says neither
      const isGood = isText(protocolVersion) && isJsonObject(capabilities) && isText(name) && isText(version);
      return verdict(
        isGood,
        `protocolVersion is ${shown(protocolVersion)}, capabilities ${shown(capabilities)}, serverInfo ${shown(serverInfo)}`,
      );
    },
  },
  {
    id: 'mcp:server:version-spoken',
    title: 'A version that it speaks is answered with the same',
    fix: 'Answer initialize with the protocolVersion that was offered, when it is one that you speak.',
    async run(subject) {
      const { protocolVersion: spoken } = await handshakeOf(subject);
      const { protocolVersion: again } = await offered(await subject.start(), shownVersion(spoken));
      return verdict(
        again === spoken,
        `It spoke ${shown(spoken)}; offered that, it answered ${shown(again)}`,
      );
    },
  },
  {
    id: 'mcp:server:version-other',
    title: 'An unknown version is answered with a supported one',
    fix: 'Do not repeat what you were offered: answer with your own latest protocolVersion when you do not speak it.',
    async run(subject) {
      const { protocolVersion } = await offered(await subject.start(), UNKNOWN_VERSION);
      return verdict(
        isText(protocolVersion) && protocolVersion !== UNKNOWN_VERSION,
        `Offered ${UNKNOWN_VERSION}, it answered ${shown(protocolVersion)}`,
      );
    },
  },
  {
    id: 'mcp:server:capabilities',
    title: 'A server that has tools declares them',
    fix: 'Put "tools": {} into the capabilities: clients ask for nothing that is not declared.',
    async run(subject) {
      const { handshake } = await subject.session();
      if (handshake.tools.length === 0) return doesNotApply('It has no tools.');
      const { capabilities } = await handshakeOf(subject);
      const tools = isJsonObject(capabilities) ? capabilities['tools'] : undefined;
      return verdict(isJsonObject(tools), `capabilities is ${shown(capabilities)}`);
    },
  },
  {
    id: 'mcp:server:quiet-until-ready',
    title: 'Until the client is ready it says nothing but answers, pings and logs',
    severity: 'warning',
    fix: 'Wait for notifications/initialized before you notify or ask the client.',
    async run(subject) {
      const conversation = await subject.start();
      await offered(conversation, '2025-11-25');
      await conversation.request(methods.ping);
      const early = conversation.transcript.received.find(({ message }) => isEarly(message));
      if (early === undefined) return passed('It waited.');
      return verdict(false, `Before notifications/initialized it sent ${shown(early.message, 200)}`);
    },
  },
  {
    id: 'mcp:server:ping',
    title: 'A ping is answered with an empty result',
    fix: 'Answer ping with the result {}.',
    async run(subject) {
      const { conversation } = await subject.connect();
      const answer = await conversation.request(methods.ping);
      return answered(isJsonObject(answer['result']), answer);
    },
  },
]);

const UNKNOWN_VERSION = '1999-12-31';

/** @throws NotApplicable when the server does not declare this capability */
export async function expectCapability(subject: Subject, name: string): Promise<void> {
  const { capabilities } = await handshakeOf(subject);
  const isDeclared = isJsonObject(capabilities) && isJsonObject(capabilities[name]);
  if (!isDeclared) throw new NotApplicable(`It declares no ${name}.`);
}

function handshakeParams(protocolVersion: string): JsonObject {
  return { protocolVersion, capabilities: {}, clientInfo: { name: 'pluglot-check', version: '1.0.0' } };
}

async function offered(conversation: Conversation, protocolVersion: string): Promise<JsonObject> {
  const { result } = await conversation.request(methods.initialize, handshakeParams(protocolVersion));
  return isJsonObject(result) ? result : {};
}

function isEarly({ method }: JsonObject): boolean {
  return typeof method === 'string' && method !== methods.ping && method !== notifications.log;
}

function shownVersion(version: unknown): string {
  return typeof version === 'string' ? version : '2025-11-25';
}

export const mcpMeanwhileChecks = group('While a tool runs', [
  {
    id: 'mcp:server:progress',
    title: 'Progress names the token of the call, rises, and ends with the answer',
    fix: 'Send notifications/progress with the progressToken of the request, a "progress" that rises each time, and none after the answer.',
    async run(subject) {
      const { transcript, call } = await subject.session();
      const reports = transcript.received.filter(
        ({ message }) => message['method'] === notifications.progress,
      );
      if (reports.length === 0) return doesNotApply('It reported no progress.');
      let last = -Infinity;
      for (const { message } of reports) {
        const params = isJsonObject(message['params']) ? message['params'] : ({} as JsonObject); // no params
        const { progressToken, progress } = params;
        if (progressToken !== call.id || typeof progress !== 'number' || progress <= last)
          return failed(
            `Expected progress above ${last} with the token ${call.id}; it sent ${shown(message, 200)}`,
          );
        last = progress;
      }
      const isLate =
        reports.length >
        call.during.filter(({ message }) => message['method'] === notifications.progress).length;
      return verdict(
        !isLate,
        isLate ? 'Some came after the answer.' : `${reports.length} times, up to ${last}.`,
      );
    },
  },
  {
    id: 'mcp:server:log-fields',
    title: 'A log has one of the eight levels, and data',
    fix: 'Send notifications/message with a "level" of syslog (debug … emergency) and "data".',
    run: logged(notifications.log, ({ level, data }) => LEVELS.includes(level) && data !== undefined),
  },
  {
    id: 'mcp:server:log-level',
    title: 'A client that sets the level emergency receives nothing less severe',
    fix: 'Answer logging/setLevel with {}, and from then on send no log below that level.',
    async run(subject) {
      await expectCapability(subject, 'logging');
      const { conversation, probe } = await subject.connect();
      const answer = await conversation.request(methods.setLevel, { level: 'emergency' });
      if (!('result' in answer)) return failed(`It answered logging/setLevel with ${shown(answer, 200)}`);
      const before = conversation.transcript.received.length;
      await conversation.call(probe);
      const less = conversation.transcript.received
        .slice(before)
        .find(({ message }) => message['method'] === notifications.log && !isEmergency(message['params']));
      if (less === undefined) return passed('It kept quiet.');
      return failed(`It still sent ${shown(less.message, 200)}`);
    },
  },
  {
    id: 'mcp:server:cancelled',
    title: 'A call that is cancelled at once is not answered',
    severity: 'info',
    fix: 'At notifications/cancelled stop the work and send no answer.',
    async run(subject) {
      const { longest, isLong } = await longestCall(subject);
      const { probe: slow, durationMs } = longest;
      if (!isLong)
        return doesNotApply(
          `"${slow.tool}" is done after ${durationMs} ms, too short to be cancelled. Name a longer call with --slow-tool.`,
        );
      const { conversation, probe } = await subject.connect();
      const id = conversation.nextId();
      const params = { requestId: id, reason: 'The user has changed their mind.' };
      conversation.send(subject.driver.callMessage(id, slow), {
        jsonrpc: '2.0',
        method: notifications.cancelled,
        params,
      });
      await conversation.staysAlive(probe, 'a cancellation');
      // An answer to the notification would have come before this one.
      await conversation.call(slow);
      const answer = conversation.transcript.received.find(({ message }) => message['id'] === id);
      if (answer === undefined) return passed('Nothing came.');
      return failed(`It answered ${shown(answer.message, 200)}`);
    },
  },
]);

const LEVELS: readonly unknown[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

function isEmergency(params: unknown): boolean {
  return isJsonObject(params) && params['level'] === 'emergency';
}
