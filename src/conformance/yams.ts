// YAMS: driver, and checks of the manifest and the life of a plugin.
import fs from 'node:fs/promises';
import path from 'node:path';
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../base/json.ts';
import { MiB } from '../base/units.ts';
import { shown } from '../base/text.ts';
import type { Tool } from '../definition/tool.ts';
import { interfaces, methods } from '../dialect/yams/schema.ts';
import {
  group,
  doesNotApply,
  verdict,
  NotApplicable,
  field,
  isText,
  isSemanticVersion,
  handshakeOf,
} from './check.ts';
import { Unmet } from './conversation.ts';
import { type Driver, driver, endByResponse, request, padded } from './driver.ts';
import { chooseProbe, demandingTool } from './probes.ts';
import type { Subject, ConnectedPlugin } from './subject.ts';

export const yamsDriver: Driver = driver({
  dialect: 'yams',
  largestMessage: MiB,
  oversizeMessage: 17 * MiB,
  async connect(conversation) {
    const { result } = await conversation.request(methods.manifest);
    const init = await conversation.request(methods.init, { config: {} });
    if ((init['error'] ?? null) !== null) throw conversation.unmet('It refused plugin.init.');
    return { raw: result, tools: toolsOf(result) };
  },
  probe: ({ raw, tools }) =>
    chooseProbe(tools) ??
    (isExtractor(raw) ? { tool: methods.extract, args: extractParams(raw) } : undefined) ?? {
      tool: methods.health,
      args: {},
    },
  callMessage: (id, { tool, args }) => request(id, tool, args),
  endOfCall: (id, message) =>
    endByResponse(
      id,
      message,
      (result) =>
        !(isJsonObject(result) && (result['success'] === false || (result['error'] ?? null) !== null)),
    ),
  livenessRequest: (id, _, padding) => request(id, methods.health, padded(padding)),
  shutdown: (id) => request(id, methods.shutdown),
  answersShutdown: true,
});

function toolsOf(manifest: unknown): Tool[] {
  const listed = capabilityOf(manifest, 'tools');
  if (!isJsonArray(listed)) return [];
  return listed.filter(isJsonObject).flatMap(({ name, input_schema: schema }) => {
    if (typeof name !== 'string') return [];
    return [{ name, ...(isJsonObject(schema) ? { inputSchema: schema } : {}) }];
  });
}

/** By its interfaces, or by its capabilities where it lists none. */
function isExtractor(manifest: unknown): boolean {
  const named = isJsonObject(manifest) ? manifest['interfaces'] : undefined;
  if (!isJsonArray(named)) return capabilityOf(manifest, 'content_extraction') !== undefined;
  return named.some((each) => (isJsonObject(each) ? each['id'] : each) === interfaces.extractor);
}

/** The first file type that it declares. */
function declaredType(manifest: unknown): JsonObject {
  const types = capabilityOf(manifest, 'content_extraction');
  const { formats, extensions } = isJsonObject(types) ? types : {};
  const [mimeType] = textsIn(formats);
  const [extension] = textsIn(extensions);
  return {
    ...(mimeType === undefined ? {} : { mime_type: mimeType }),
    ...(extension === undefined ? {} : { extension }),
  };
}

const SAMPLE = '# A short text\n\nNothing else.\n';

/** A short text as bytes, as the real host sends files. A plugin for binary files may refuse it. */
function extractParams(manifest: unknown): JsonObject {
  const data = Buffer.from(SAMPLE).toString('base64');
  return { source: { type: 'bytes', data }, options: declaredType(manifest) };
}

function capabilityOf(manifest: unknown, name: string): Json | undefined {
  const capabilities = isJsonObject(manifest) ? manifest['capabilities'] : undefined;
  return isJsonObject(capabilities) ? capabilities[name] : undefined;
}

/** @throws NotApplicable when the plugin is not an extractor */
export async function expectExtractor(subject: Subject): Promise<void> {
  const { handshake } = await subject.session();
  if (!isExtractor(handshake.raw)) throw new NotApplicable('It does not have content_extractor_v1.');
}

type Asked =
  | 'health'
  | 'supports'
  | 'supports by MIME type'
  | 'supports by extension'
  | 'extract bytes'
  | 'extract a path'
  | 'supports an unknown type'
  | 'extract an unknown type'
  | 'supports neither'
  | 'extract nothing'
  | 'extract broken data'
  | 'miss an argument'
  | 'unknown method';

/**
 * The response to a request of the interview; undefined when it was not sent.
 * @throws Unmet when there was no response
 */
export async function answerTo(subject: Subject, asked: Asked): Promise<JsonObject | undefined> {
  const answer = (await subject.shared(interview)).get(asked);
  if (answer instanceof Unmet) throw answer;
  return answer;
}

/**
 * The result in the response.
 * @throws Unmet
 */
export async function resultOf(subject: Subject, asked: Asked): Promise<JsonObject> {
  const answer = await answerTo(subject, asked);
  if (isJsonObject(answer?.['result'])) return answer['result'];
  throw new Unmet(`Expected an object as the result; it answered ${shown(answer, 200)}`);
}

async function interview(subject: Subject): Promise<ReadonlyMap<Asked, JsonObject | Unmet>> {
  const { answerMs, callMs } = subject.limits;
  const connected = await subject.connect();
  const answers = new Map<Asked, JsonObject | Unmet>();
  for (const [asked, method, params] of await questions(connected)) {
    const limitMs = method === methods.extract ? callMs : answerMs;
    const answering = connected.conversation.request(method, params, limitMs);
    answers.set(
      asked,
      await answering.catch((thrown: unknown) => {
        if (thrown instanceof Unmet) return thrown;
        throw thrown;
      }),
    );
  }
  return answers;
}

type Question = readonly [Asked, string, JsonObject?];

async function questions({
  handshake: { raw, tools },
  probe,
}: ConnectedPlugin): Promise<readonly Question[]> {
  const demanding = demandingTool(tools);
  return [
    ['health', methods.health],
    ...(isExtractor(raw) ? await extractorQuestions(raw, probe.workdir ?? '.') : []),
    ...(demanding === undefined ? [] : [['miss an argument', demanding.name, {}] as const]),
    ['unknown method', 'no_such_method'],
  ];
}

const unknownType = { mime_type: 'application/x-no-such-type', extension: '.no-such-type' };

async function extractorQuestions(manifest: unknown, workdir: string): Promise<readonly Question[]> {
  const type = declaredType(manifest);
  const { mime_type: mimeType, extension } = type;
  const bytes = extractParams(manifest);
  const name = typeof extension === 'string' ? `sample${extension}` : 'sample';
  const file = path.join(workdir, path.basename(name));
  await fs.writeFile(file, SAMPLE);
  return [
    ...(Object.keys(type).length === 0 ? [] : [['supports', methods.supports, type] as const]),
    ...(mimeType === undefined
      ? []
      : [['supports by MIME type', methods.supports, { mime_type: mimeType }] as const]),
    ...(extension === undefined ? [] : [['supports by extension', methods.supports, { extension }] as const]),
    ['extract bytes', methods.extract, bytes],
    ['extract a path', methods.extract, { source: { type: 'path', path: file }, options: type }],
    ['supports an unknown type', methods.supports, unknownType],
    ['extract an unknown type', methods.extract, { ...bytes, options: unknownType }],
    ['supports neither', methods.supports, {}],
    ['extract nothing', methods.extract, {}],
    [
      'extract broken data',
      methods.extract,
      { source: { type: 'bytes', data: '!no base64!' }, options: type },
    ],
  ];
}

export const yamsManifestChecks = group('Manifest', [
  {
    id: 'yams:manifest:required',
    title: 'handshake.manifest is answered with a manifest',
    fix: 'Answer handshake.manifest with { name, version, interfaces }.',
    async run(subject) {
      const { handshake } = await subject.session();
      return verdict(isJsonObject(handshake.raw), `It answered ${shown(handshake.raw, 200)}`);
    },
  },
  {
    id: 'yams:manifest:name',
    title: 'The manifest has a name',
    fix: 'Put "name", a string that is not empty, into the manifest.',
    run: field(handshakeOf, 'name', isText),
  },
  {
    id: 'yams:manifest:name-form',
    title: 'The name is of letters, digits and underscores',
    fix: 'Name the plugin like "my_plugin": hosts use the name as an identifier.',
    async run(subject) {
      const { name } = await handshakeOf(subject);
      if (!isText(name)) return doesNotApply('It has no name.');
      return verdict(/^\w+$/.test(name), `name is ${shown(name)}`);
    },
  },
  {
    id: 'yams:manifest:version',
    title: 'The manifest has a semantic version',
    fix: 'Put "version" such as "1.0.0" into the manifest.',
    run: field(handshakeOf, 'version', isSemanticVersion),
  },
  {
    id: 'yams:manifest:interfaces',
    title: 'The manifest lists the interfaces',
    fix: 'Put "interfaces", a list of ids such as "content_extractor_v1", into the manifest; it may be empty.',
    run: field(handshakeOf, 'interfaces', isListOfTexts),
  },
  {
    id: 'yams:manifest:description',
    title: 'The manifest describes the plugin',
    severity: 'info',
    fix: 'Put "description" into the manifest: people choose by it.',
    run: field(handshakeOf, 'description', isText),
  },
  {
    id: 'yams:manifest:author',
    title: 'The author in the manifest is a text',
    fix: 'Make "author" a string, or leave it out.',
    run: field(handshakeOf, 'author', isText, 'It names none.'),
  },
  {
    id: 'yams:manifest:capabilities',
    title: 'The capabilities of an extractor list its formats and extensions',
    fix: 'Put "content_extraction": { "formats": ["text/plain"], "extensions": [".txt"] } into the capabilities: by the formats a host chooses the plugin.',
    async run(subject) {
      const manifest = await handshakeOf(subject);
      const { capabilities } = manifest;
      if (capabilities === undefined) return doesNotApply('It declares none.');
      return verdict(
        isJsonObject(capabilities) &&
          (!isExtractor(manifest) || isFileTypes(capabilities['content_extraction'])),
        `capabilities is ${shown(capabilities, 200)}`,
      );
    },
  },
]);

function isFileTypes(value: Json | undefined): boolean {
  return isJsonObject(value) && isListOfTexts(value['formats']) && isListOfTexts(value['extensions']);
}

function isListOfTexts(value: Json | undefined): boolean {
  return isJsonArray(value) && value.every(isText);
}
