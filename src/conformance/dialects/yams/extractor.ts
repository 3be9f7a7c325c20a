// What a plugin with content_extractor_v1 says of files, and finds in them.
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { methods } from '../../../dialect/yams/schema.ts';
import { doesNotApply, verdict, type Check, type Finding } from '../../check.ts';
import { codeOf } from '../../drivers/responses.ts';
import type { Subject } from '../../subject/subject.ts';
import { answerTo, resultOf } from './interview.ts';
import { ofExtractors } from './words.ts';

const theme = 'Content extraction';

export const yamsExtractorChecks: readonly Check[] = [
  {
    id: 'yams:supports:supported',
    title: 'extractor.supports says yes to what the manifest declares',
    severity: 'error',
    theme,
    fix: 'Answer extractor.supports with { "supported": true } for every declared format and extension.',
    run: ofSupport(({ supported }) => verdict(supported === true, `supported is ${shown(supported)}`)),
  },
  {
    id: 'yams:supports:mime-type',
    title: 'A MIME type alone is enough for extractor.supports',
    severity: 'error',
    theme,
    fix: 'Let "extension" be left out.',
    run: ofExtractors((subject) => answersAlone(subject, 'supports by MIME type')),
  },
  {
    id: 'yams:supports:extension',
    title: 'An extension alone is enough for extractor.supports',
    severity: 'error',
    theme,
    fix: 'Let "mime_type" be left out.',
    run: ofExtractors((subject) => answersAlone(subject, 'supports by extension')),
  },
  {
    id: 'yams:supports:confidence',
    title: 'A confidence is a number from 0 to 1',
    severity: 'error',
    theme,
    fix: 'Make "confidence" a number from 0.0 to 1.0, or leave it out.',
    run: ofSupport(({ confidence }) => {
      if (confidence === undefined) return doesNotApply('It tells none, which means 1.0.');
      const isGood = typeof confidence === 'number' && confidence >= 0 && confidence <= 1;
      return verdict(isGood, `confidence is ${shown(confidence)}`);
    }),
  },
  {
    id: 'yams:supports:method',
    title: 'The method of an extraction is a text',
    severity: 'error',
    theme,
    fix: 'Make "method" a string, or leave it out.',
    run: ofSupport(({ method }) => {
      if (method === undefined) return doesNotApply('It names none.');
      return verdict(typeof method === 'string', `method is ${shown(method)}`);
    }),
  },
  {
    id: 'yams:supports:at-least-one',
    title: 'A question about neither a type nor an extension is refused',
    severity: 'warning',
    theme,
    fix: 'Answer extractor.supports with the error -32602 when both are missing.',
    run: ofExtractors(async (subject) => {
      const answer = (await answerTo(subject, 'supports neither')) ?? {};
      return verdict(codeOf(answer) === -32602, `It answered ${shown(answer, 200)}`);
    }),
  },
  {
    id: 'yams:extract:required',
    title: 'extractor.extract takes bytes',
    severity: 'error',
    theme,
    fix: 'Take { "source": { "type": "bytes", "data": base64 }, "options" }: the real host sends every file so.',
    run: ofExtractors(async (subject) => {
      const answer = await extractAnswer(subject);
      return verdict(isTaken(answer), `It answered ${shown(answer, 200)}`);
    }),
  },
  {
    id: 'yams:extract:source-path',
    title: 'extractor.extract takes a path',
    severity: 'error',
    theme,
    fix: 'Take { "source": { "type": "path", "path" } }, and read the file.',
    run: ofExtractors(async (subject) => {
      const answer = (await answerTo(subject, 'extract a path')) ?? {};
      return verdict(isTaken(answer), `It answered ${shown(answer, 200)}`);
    }),
  },
  {
    id: 'yams:extract:success',
    title: 'A result says whether the extraction succeeded',
    severity: 'error',
    theme,
    fix: 'Put "success", true or false, into every result of extractor.extract.',
    run: ofExtracted(({ success }) => verdict(typeof success === 'boolean', `success is ${shown(success)}`)),
  },
  {
    id: 'yams:extract:content',
    title: 'What was extracted is a text',
    severity: 'error',
    theme,
    fix: 'Put the text into "content" when "success" is true.',
    run: ofExtracted(({ success, content, error = null }) => {
      if (success === false || error !== null) return doesNotApply('It says that it failed.');
      return verdict(typeof content === 'string', `content is ${shown(content)}`);
    }),
  },
  {
    id: 'yams:extract:metadata',
    title: 'Metadata is an object',
    severity: 'error',
    theme,
    fix: 'Make "metadata" an object, or leave it out.',
    run: ofExtracted(({ metadata }) => isObjectIfThere('metadata', metadata)),
  },
  {
    id: 'yams:extract:stats',
    title: 'Statistics are an object',
    severity: 'error',
    theme,
    fix: 'Make "stats" an object, or leave it out.',
    run: ofExtracted(({ stats }) => isObjectIfThere('stats', stats)),
  },
  {
    id: 'yams:extract:source',
    title: 'An extraction without a source is refused',
    severity: 'error',
    theme,
    fix: 'Answer extractor.extract with the error -32602 when "source" is missing.',
    run: ofExtractors(async (subject) => {
      const answer = (await answerTo(subject, 'extract nothing')) ?? {};
      return verdict(codeOf(answer) === -32602, `It answered ${shown(answer, 200)}`);
    }),
  },
  {
    id: 'yams:extract:source-data',
    title: 'Data that is no base64 is refused',
    severity: 'warning',
    theme,
    fix: 'Decode strictly, and answer with an error when that fails: what a lenient decoder makes of it is not what was sent.',
    run: ofExtractors(async (subject) => {
      const answer = (await answerTo(subject, 'extract broken data')) ?? {};
      return verdict(codeOf(answer) !== undefined || isFailure(answer), `It answered ${shown(answer, 200)}`);
    }),
  },
];

/** Looks at what it says of a type that it has declared. */
function ofSupport(look: (result: JsonObject) => Finding): Check['run'] {
  return ofExtractors(async (subject) => {
    const answer = await answerTo(subject, 'supports');
    return answer === undefined ? doesNotApply(UNDECLARED) : look(await resultOf(subject, 'supports'));
  });
}

const UNDECLARED = 'The manifest declares no type that could be asked about.';

async function answersAlone(subject: Subject, asked: 'supports by MIME type' | 'supports by extension') {
  const answer = await answerTo(subject, asked);
  if (answer === undefined) return doesNotApply(UNDECLARED);
  const { result } = answer;
  const isGood = isJsonObject(result) && typeof result['supported'] === 'boolean';
  return verdict(isGood, `It answered ${shown(answer, 200)}`);
}

/**
 * Of the extraction that was named with --tool, else of the sample.
 * @throws Unmet
 */
async function extractAnswer(subject: Subject): Promise<JsonObject> {
  const { call } = await subject.session();
  if (call.probe.tool === methods.extract && call.end !== undefined) return call.end.message;
  return (await answerTo(subject, 'extract bytes')) ?? {};
}

/** A text may be no good file of its type. That it was looked at is all that can be asked. */
function isTaken(answer: JsonObject): boolean {
  const code = codeOf(answer);
  if (code !== undefined) return code !== -32601 && code !== -32602 && code !== -32603;
  return isJsonObject(answer['result']);
}

function isFailure({ result }: JsonObject): boolean {
  return isJsonObject(result) && (result['success'] === false || (result['error'] ?? null) !== null);
}

/** Looks at the result, where the sample was good enough for one. */
function ofExtracted(look: (result: JsonObject) => Finding): Check['run'] {
  return ofExtractors(async (subject) => {
    const answer = await extractAnswer(subject);
    const { result } = answer;
    if (isJsonObject(result)) return look(result);
    return doesNotApply(
      `It extracted nothing from a short text. Name a file that it takes: --tool ${methods.extract}. ${shown(answer, 200)}`,
    );
  });
}

function isObjectIfThere(name: string, value: unknown): Finding {
  if (value === undefined) return doesNotApply('There is none.');
  return verdict(isJsonObject(value), `${name} is ${shown(value)}`);
}
