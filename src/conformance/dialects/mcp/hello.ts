// How a server introduces itself.
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { methods, notifications } from '../../../dialect/mcp/schema.ts';
import { doesNotApply, passed, verdict, type Check } from '../../check.ts';
import type { Conversation } from '../../subject/conversation.ts';
import type { Subject } from '../../subject/subject.ts';

const theme = 'Hello';

export const mcpHelloChecks: readonly Check[] = [
  {
    id: 'mcp:server:hello-fields',
    title: 'The answer to initialize says who the server is and what it can do',
    severity: 'error',
    theme,
    fix: 'Answer initialize with "protocolVersion", "capabilities" and "serverInfo": { "name", "version" }.',
    async run(subject) {
      const { protocolVersion, capabilities, serverInfo } = await helloOf(subject);
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
    severity: 'error',
    theme,
    fix: 'Answer initialize with the protocolVersion that was offered, when it is one that you speak.',
    async run(subject) {
      const { protocolVersion: spoken } = await helloOf(subject);
      const { protocolVersion: again } = await offered(await subject.start(), shownVersion(spoken));
      return verdict(
        again === spoken,
        `It spoke ${shown(spoken)}; offered that, it answered ${shown(again)}`,
      );
    },
  },
  {
    id: 'mcp:server:version-other',
    title: 'A version that nobody speaks is answered with one that it does',
    severity: 'error',
    theme,
    fix: 'Do not repeat what you were offered: answer with your own latest protocolVersion when you do not speak it.',
    async run(subject) {
      const { protocolVersion } = await offered(await subject.start(), NOBODYS_VERSION);
      return verdict(
        isText(protocolVersion) && protocolVersion !== NOBODYS_VERSION,
        `Offered ${NOBODYS_VERSION}, it answered ${shown(protocolVersion)}`,
      );
    },
  },
  {
    id: 'mcp:server:capabilities',
    title: 'A server that has tools declares them',
    severity: 'error',
    theme,
    fix: 'Put "tools": {} into the capabilities: clients ask for nothing that is not declared.',
    async run(subject) {
      const { introduction } = await subject.session();
      if (introduction.tools.length === 0) return doesNotApply('It has no tools.');
      const { capabilities } = await helloOf(subject);
      const tools = isJsonObject(capabilities) ? capabilities['tools'] : undefined;
      return verdict(isJsonObject(tools), `capabilities is ${shown(capabilities)}`);
    },
  },
  {
    id: 'mcp:server:quiet-until-ready',
    title: 'Until the client is ready it says nothing but answers, pings and logs',
    severity: 'warning',
    theme,
    fix: 'Wait for notifications/initialized before you notify or ask the client.',
    async run(subject) {
      const conversation = await subject.start();
      await offered(conversation, '2025-11-25');
      await conversation.request(methods.ping);
      const early = conversation.transcript.heard.find(({ message }) => isEarly(message));
      if (early === undefined) return passed('It waited.');
      return verdict(false, `Before it was told to, it said ${shown(early.message, 200)}`);
    },
  },
  {
    id: 'mcp:server:ping',
    title: 'A ping is answered with an empty result',
    severity: 'error',
    theme,
    fix: 'Answer ping with the result {}.',
    async run(subject) {
      const { conversation } = await subject.greet();
      const answer = await conversation.request(methods.ping);
      return verdict(isJsonObject(answer['result']), `It answered ${shown(answer, 200)}`);
    },
  },
];

const NOBODYS_VERSION = '1999-12-31';

/** What initialize was answered with in the recorded session. */
async function helloOf(subject: Subject): Promise<JsonObject> {
  const { introduction } = await subject.session();
  return isJsonObject(introduction.raw) ? introduction.raw : {};
}

/** The capability of this name; undefined when it was not declared. */
export async function capabilityOf(subject: Subject, name: string): Promise<JsonObject | undefined> {
  const { capabilities } = await helloOf(subject);
  const capability = isJsonObject(capabilities) ? capabilities[name] : undefined;
  return isJsonObject(capability) ? capability : undefined;
}

async function offered(conversation: Conversation, protocolVersion: string): Promise<JsonObject> {
  const { result } = await conversation.request(methods.initialize, {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'pluglot-check', version: '1.0.0' },
  });
  return isJsonObject(result) ? result : {};
}

function isEarly({ method }: JsonObject): boolean {
  return typeof method === 'string' && method !== methods.ping && method !== notifications.log;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function shownVersion(version: unknown): string {
  return typeof version === 'string' ? version : '2025-11-25';
}
