// YAMS: checks of extractors and errors.
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { shown } from '../base/text.ts';
import { methods } from '../dialect/yams/schema.ts';
import {
  type Check,
  group,
  doesNotApply,
  verdict,
  NotApplicable,
  field,
  answered,
  isBoolean,
} from './check.ts';
import { codeOf } from './driver.ts';
import type { Subject } from './subject.ts';
import { answerTo, resultOf, expectExtractor } from './yams.ts';

export const yamsExtractorChecks = group('Content extraction', [
  {
    id: 'yams:supports:supported',
    title: 'extractor.supports says yes to what the manifest declares',
    fix: 'Answer extractor.supports with { "supported": true } for every declared format and extension.',
    run: field(support, 'supported', (supported) => supported === true),
  },
  {
    id: 'yams:supports:mime-type',
    title: 'A MIME type alone is enough for extractor.supports',
    fix: 'Let "extension" be left out.',
    run: answersAlone('supports by MIME type'),
  },
  {
    id: 'yams:supports:extension',
    title: 'An extension alone is enough for extractor.supports',
    fix: 'Let "mime_type" be left out.',
    run: answersAlone('supports by extension'),
  },
  {
    id: 'yams:supports:confidence',
    title: 'A confidence is a number from 0 to 1',
    fix: 'Make "confidence" a number from 0.0 to 1.0, or leave it out.',
    run: field(
      support,
      'confidence',
      (confidence) => typeof confidence === 'number' && confidence >= 0 && confidence <= 1,
      'It sends none, which means 1.0.',
    ),
  },
  {
    id: 'yams:supports:method',
    title: 'The method of an extraction is a text',
    fix: 'Make "method" a string, or leave it out.',
    run: field(support, 'method', (method) => typeof method === 'string', 'It names none.'),
  },
  {
    id: 'yams:supports:at-least-one',
    title: 'A question about neither a type nor an extension is refused',
    severity: 'warning',
    fix: 'Answer extractor.supports with the error -32602 when both are missing.',
    run: extractorAnswers('supports neither', (answer) => codeOf(answer) === -32602),
  },
  {
    id: 'yams:extract:required',
    title: 'extractor.extract takes bytes',
    fix: 'Take { "source": { "type": "bytes", "data": base64 }, "options" }: the real host sends every file so.',
    async run(subject) {
      const answer = await extractAnswer(subject);
      return answered(isTaken(answer), answer);
    },
  },
  {
    id: 'yams:extract:source-path',
    title: 'extractor.extract takes a path',
    fix: 'Take { "source": { "type": "path", "path" } }, and read the file.',
    run: extractorAnswers('extract a path', isTaken),
  },
  {
    id: 'yams:extract:success',
    title: 'A result says whether the extraction succeeded',
    fix: 'Put "success", true or false, into every result of extractor.extract.',
    run: field(extracted, 'success', isBoolean),
  },
  {
    id: 'yams:extract:content',
    title: 'What was extracted is a text',
    fix: 'Put the text into "content" when "success" is true.',
    async run(subject) {
      const { success, content, error = null } = await extracted(subject);
      if (success === false || error !== null) return doesNotApply('It says that it failed.');
      return verdict(typeof content === 'string', `content is ${shown(content)}`);
    },
  },
  {
    id: 'yams:extract:metadata',
    title: 'Metadata is an object',
    fix: 'Make "metadata" an object, or leave it out.',
    run: field(extracted, 'metadata', isJsonObject, 'There is none.'),
  },
  {
    id: 'yams:extract:stats',
    title: 'Statistics are an object',
    fix: 'Make "stats" an object, or leave it out.',
    run: field(extracted, 'stats', isJsonObject, 'There is none.'),
  },
  {
    id: 'yams:extract:source',
    title: 'An extraction without a source is refused',
    fix: 'Answer extractor.extract with the error -32602 when "source" is missing.',
    run: extractorAnswers('extract nothing', (answer) => codeOf(answer) === -32602),
  },
  {
    id: 'yams:extract:source-data',
    title: 'Data that is not base64 is refused',
    severity: 'warning',
    fix: 'Decode strictly, and answer with an error when that fails: what a lenient decoder makes of it is not what was sent.',
    run: extractorAnswers(
      'extract broken data',
      (answer) => codeOf(answer) !== undefined || isFailure(answer),
    ),
  },
]);

/** The answer about a type that the plugin declares. @throws NotApplicable */
async function support(subject: Subject): Promise<JsonObject> {
  await declaredAnswer(subject, 'supports');
  return resultOf(subject, 'supports');
}

type Asked = Parameters<typeof answerTo>[1];

/** @throws NotApplicable when the manifest declares no type to ask about */
async function declaredAnswer(subject: Subject, asked: Asked): Promise<JsonObject> {
  await expectExtractor(subject);
  const answer = await answerTo(subject, asked);
  if (answer === undefined)
    throw new NotApplicable('The manifest declares no type that could be asked about.');
  return answer;
}

function answersAlone(asked: Asked): Check['run'] {
  return async (subject) => {
    const answer = await declaredAnswer(subject, asked);
    const { result } = answer;
    return answered(isJsonObject(result) && isBoolean(result['supported']), answer);
  };
}

function extractorAnswers(asked: Asked, isGood: (answer: JsonObject) => boolean): Check['run'] {
  return async (subject) => {
    await expectExtractor(subject);
    const answer = (await answerTo(subject, asked)) ?? {};
    return answered(isGood(answer), answer);
  };
}

/**
 * The extraction that the user named with --tool, else that of the sample.
 * @throws Unmet
 */
async function extractAnswer(subject: Subject): Promise<JsonObject> {
  await expectExtractor(subject);
  const { call } = await subject.session();
  if (call.probe.tool === methods.extract && call.end !== undefined) return call.end.message;
  return (await answerTo(subject, 'extract bytes')) ?? {};
}

/** The sample may be an invalid file of its type, so a refusal is fine too. */
function isTaken(answer: JsonObject): boolean {
  const code = codeOf(answer);
  if (code !== undefined) return code !== -32601 && code !== -32602 && code !== -32603;
  return isJsonObject(answer['result']);
}

function isFailure({ result }: JsonObject): boolean {
  return isJsonObject(result) && (result['success'] === false || (result['error'] ?? null) !== null);
}

/** The result, where the sample gave one. @throws NotApplicable */
async function extracted(subject: Subject): Promise<JsonObject> {
  const answer = await extractAnswer(subject);
  if (isJsonObject(answer['result'])) return answer['result'];
  throw new NotApplicable(
    `It extracted nothing from a short text. Name a file that it takes: --tool ${methods.extract}. ${shown(answer, 200)}`,
  );
}
