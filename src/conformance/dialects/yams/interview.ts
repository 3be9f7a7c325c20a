// One process of a YAMS plugin that is asked one thing after the other: checks look at the answers. What a good host would not ask comes last.
import fs from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { methods } from '../../../dialect/yams/schema.ts';
import { declaredType, extractParams, isExtractor, SAMPLE } from '../../drivers/yams-extraction.ts';
import { demandingTool } from '../../subject/demanding-tool.ts';
import type { Greeted, Subject } from '../../subject/subject.ts';
import { Unmet } from '../../unmet.ts';

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
 * The response to what was asked; undefined when there was no reason to ask it.
 * @throws Unmet where none came
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
  const greeted = await subject.greet();
  const answers = new Map<Asked, JsonObject | Unmet>();
  for (const [asked, method, params] of await questions(greeted)) {
    const limitMs = method === methods.extract ? callMs : answerMs;
    const answering = greeted.conversation.request(method, params, limitMs);
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

async function questions({ introduction: { raw, tools }, probe }: Greeted): Promise<readonly Question[]> {
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
