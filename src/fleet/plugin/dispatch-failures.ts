// How calls end that the dispatcher ends, in words.
import { PluglotError } from '../../base/error.ts';
import type { CallFailure } from '../../definition/outcome.ts';
import type { LiveInstance, OpenCall } from './open-call.ts';

export function tooManyWait(plugin: string, queueLimit: number): CallFailure {
  return {
    code: 'TOO_MANY_CALLS',
    message: `${queueLimit} calls wait for plugin "${plugin}" already, which is the limit (queueLimit). Await earlier calls first.`,
  };
}

export function tooManyEvents(plugin: string, { tool }: OpenCall, limit: number): CallFailure {
  return {
    code: 'FRAME_TOO_LARGE',
    message: `The events of one call of "${tool}" of plugin "${plugin}" had more than ${limit} characters; it was given up.`,
  };
}

export function tooDeep(plugin: string, { tool }: OpenCall, limit: number): CallFailure {
  return {
    code: 'INVALID_RESPONSE',
    message: `Plugin "${plugin}" answered the call of "${tool}" with data that is nested more than ${limit} levels deep.`,
  };
}

export function waitedTooLong(
  plugin: string,
  { tool, timeoutMs }: Pick<OpenCall, 'tool' | 'timeoutMs'>,
  occupation: string,
): CallFailure {
  return {
    code: 'CALL_TIMEOUT',
    message: `The call of "${tool}" waited ${timeoutMs} ms for plugin "${plugin}", which is ${occupation}, and was not sent.`,
  };
}

export function tookTooLong(plugin: string, { tool, timeoutMs }: OpenCall): CallFailure {
  return {
    code: 'CALL_TIMEOUT',
    message: `Plugin "${plugin}" did not answer the call of "${tool}" within ${timeoutMs} ms. Give it more time: --timeout on the command line, timeoutMs of the call, or limits.callMs of the plugin.`,
  };
}

export function takesNoMessages(plugin: string): PluglotError {
  return new PluglotError(
    'PLUGIN_EXITED',
    `Plugin "${plugin}" takes no messages any more, though it runs; it was ended.`,
  );
}

/** For a conversation, which does not survive its process. */
export function processGone(plugin: string): CallFailure {
  return {
    code: 'PLUGIN_EXITED',
    message: `The process of plugin "${plugin}" is gone, and the conversation with it.`,
  };
}

/** Why a call has to wait. */
export function occupationOf(instances: readonly LiveInstance[]): string {
  if (instances.some(({ port, talk }) => port !== undefined && talk !== undefined))
    return 'in a conversation';
  if (instances.some(({ port }) => port !== undefined)) return 'busy with other calls';
  return `in state ${instances[0]?.supervisor.state ?? 'stopped'}`;
}
