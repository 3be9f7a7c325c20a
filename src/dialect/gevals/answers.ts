// How an operation ended, in the words that all dialects share.
import { isJsonObject, type Json } from '../../base/json.ts';
import { nearest } from '../../base/suggest.ts';
import { sentence } from '../../base/sentence.ts';
import type { ErrorObject, Response } from '../../channel/message/message.ts';
import type { Answer, AnswerContent, CallFailure } from '../../definition/outcome.ts';
import { detailsIn, readFailureWords, reasonGiven, withoutReason } from '../failure.ts';
import { withoutHint } from '../say-tool.ts';
import { codeOf, REQUIREMENT_NOT_MET } from './codes.ts';
import { LINE_LIMIT } from './line-limit.ts';
import { readResult, type ExecuteParams, type OperationResult, type Tell } from './schema.ts';
import { sizeOf } from './shorten.ts';

/** Who answers, for sentences about it. */
export interface Extension {
  readonly plugin: string;
  readonly operations: readonly string[];
}

export function answerOf(response: Response, operation: string, extension: Extension, tell: Tell): Answer {
  if (response.kind === 'failure')
    return { ok: false, ...saidBefore(response.error), error: refused(response.error, operation, extension) };
  const result = readResult(response.result, tell);
  if ('problem' in result) {
    const message = `Plugin "${extension.plugin}" answered execute of "${operation}", but ${sentence(result.problem)}`;
    return { ok: false, error: { code: 'PROTOCOL_VIOLATION', message } };
  }
  // A failure carries what a success carries.
  const isKept = result.ours['keep_session'] === true;
  const text = isKept ? withoutHint(result.message) : result.message;
  const content = {
    ...(text === undefined ? {} : { text }),
    ...(result.outputs === undefined ? {} : { outputs: result.outputs }),
    ...(isKept ? { keepSession: true } : {}),
  };
  if (result.success === true) return { ok: true, ...content };
  const error = unsuccessful(result, operation, extension);
  return { ok: false, error, ...withoutReason(content, error) };
}

/** What an extension of ours sends along with an error. */
function saidBefore({ data }: ErrorObject): AnswerContent {
  const { text, outputs, keep_session: keepSession } = isJsonObject(data) ? data : {};
  const isTexts =
    isJsonObject(outputs) && Object.values(outputs).every((output) => typeof output === 'string');
  return {
    ...(typeof text === 'string' ? { text } : {}),
    ...(isTexts ? { outputs: outputs as Readonly<Record<string, string>> } : {}), // so it was found to be
    ...(keepSession === true ? { keepSession } : {}),
  };
}

export function missingRequirement(plugin: string, operation: string, commands: readonly string[]): Answer {
  const names = commands.map((command) => `"${command}"`).join(' and ');
  const message =
    `Operation "${operation}" of plugin "${plugin}" was not run: the plugin needs ${names}, not found in PATH. ` +
    `Install what is missing, or add its folder to the PATH of the plugin.`;
  return { ok: false, error: { code: 'REQUIREMENT_MISSING', message, wireCode: REQUIREMENT_NOT_MET } };
}

export function tooLong(plugin: string, params: ExecuteParams): Answer {
  const message =
    `Operation "${params.operation}" of plugin "${plugin}" was not run: its arguments and context take ${sizeOf(params)} bytes, ` +
    `and an extension of gevals reads lines of up to ${LINE_LIMIT} bytes. Put what is large into a file and pass its path.`;
  return { ok: false, error: { code: 'FRAME_TOO_LARGE', message } };
}

function refused(error: ErrorObject, operation: string, extension: Extension): CallFailure {
  const code = codeOf(error.code);
  return {
    code,
    message: reasonGiven(
      error.message || `Operation "${operation}" failed with ${error.code} and no message.`,
    ),
    wireCode: error.code,
    ...(isJsonObject(error.data) ? detailsIn(error.data) : {}),
    // It came out of JSON.
    ...(error.data === undefined ? {} : { data: error.data as Json }),
    ...(code === 'UNKNOWN_TOOL' ? suggestionsFor(operation, extension) : {}),
  };
}

function unsuccessful(result: OperationResult, operation: string, extension: Extension): CallFailure {
  const { success, message, error } = result;
  // The Go SDK says so in a result, where the specification wants -32601.
  if (error?.toLowerCase() === `unknown operation: ${operation.toLowerCase()}`) {
    return { code: 'UNKNOWN_TOOL', message: reasonGiven(error), ...suggestionsFor(operation, extension) };
  }
  const silent =
    success === undefined
      ? `Plugin "${extension.plugin}" did not say whether operation "${operation}" succeeded; expected "success" in its result.`
      : `Operation "${operation}" failed and did not say why.`;
  const said = reasonGiven(error || message || silent);
  return readFailureWords(result.ours['failure'], said) ?? { code: 'TOOL_FAILED', message: said };
}

function suggestionsFor(operation: string, { operations }: Extension): Pick<CallFailure, 'suggestions'> {
  const suggestions = nearest(operation, operations).filter((name) => name !== operation);
  return suggestions.length === 0 ? {} : { suggestions };
}
