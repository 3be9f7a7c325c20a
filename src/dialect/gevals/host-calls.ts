// The operations under way in an extension: what is sent for a call, and the Answer that its result becomes.
import path from 'node:path';
import { formatDuration, LONGEST_DURATION_MS } from '../../base/units.ts';
import { PluglotError } from '../../base/error.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { sentence } from '../../base/text.ts';
import { nearest } from '../../base/names.ts';
import type { ErrorObject, Response } from '../../channel/message/message.ts';
import type { Exchange } from '../../channel/peer/exchange.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { Answer, AnswerContent, CallFailure, CallRequest, CallSink } from '../../definition/outcome.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { LogEntry } from '../../definition/tool.ts';
import { detailsIn, failureFromJson, reasonGiven, withoutReason } from '../failure.ts';
import type { HostServices } from '../host-dialect.ts';
import type { RunningCall } from '../../definition/plugin-port.ts';
import { withoutHint } from '../talk-tool.ts';
import { SentCall } from '../wire-call.ts';
import { codeOf, REQUIREMENT_NOT_MET } from './codes.ts';
import { fitParams, LINE_LIMIT, sizeOf } from './line-limit.ts';
import { readResult, type ExecuteParams, type OperationResult, type Report } from './schema.ts';

export class OperationCalls {
  readonly #peer: Peer;
  readonly #services: HostServices;
  readonly #report: Report;
  readonly #plugin: string;
  readonly #paramsOf: (request: CallRequest) => ExecuteParams;
  /** In the order of their start. */
  readonly #running = new Set<SentCall>();
  /** Programs that the extension needs and that were not there at the last look. */
  #missing: readonly string[] = [];
  #operations: readonly string[] = [];

  constructor(peer: Peer, { name, start }: PluginSpec, services: HostServices, report: Report) {
    this.#peer = peer;
    this.#plugin = name;
    this.#services = services;
    this.#report = report;
    this.#paramsOf = paramsWriter((start.kind === 'program' ? start.cwd : undefined) ?? '.');
  }

  learn({ requires = [], tools }: Manifest): void {
    this.#missing = this.#notThere(requires.map(({ command }) => command));
    this.#operations = tools.map(({ name }) => name);
  }

  start(request: CallRequest, sink: CallSink): RunningCall {
    const call: SentCall = new SentCall(sink, { whenOver: () => this.#running.delete(call) });
    // The user may have installed what was missing.
    if (this.#missing.length > 0) this.#missing = this.#notThere(this.#missing);
    if (this.#missing.length > 0) call.end(missingRequirement(this.#plugin, request.tool, this.#missing));
    else this.#send(this.#paramsOf(request), call);
    return call;
  }

  /** A log has no id. Extensions do one thing after the other, so the oldest call is the one that logs. */
  log(entry: LogEntry): void {
    const [oldest] = this.#running;
    if (oldest === undefined) this.#services.log(entry);
    else oldest.event({ kind: 'log', ...entry });
  }

  #notThere(commands: readonly string[]): readonly string[] {
    return commands.filter((command) => !this.#services.hasCommand(command));
  }

  #send(params: ExecuteParams, call: SentCall): void {
    let exchange: Exchange;
    try {
      exchange = this.#peer.open('execute', params);
    } catch (error) {
      const isTooLong = error instanceof PluglotError && error.code === 'FRAME_TOO_LARGE';
      return isTooLong ? this.#sendLess(params, call) : call.fail(error);
    }
    this.#running.add(call);
    call.follow(exchange, (response) => call.end(this.#answerOf(response, params.operation)));
  }

  #sendLess(params: ExecuteParams, call: SentCall): void {
    const less = fitParams(params);
    if (less === undefined) return call.end(tooLong(this.#plugin, params));
    for (const message of less.cuts) call.warn(message);
    this.#send(less.params, call);
  }

  #answerOf(response: Response, operation: string): Answer {
    if (response.kind === 'failure') {
      const error = this.#refused(response.error, operation);
      return { ok: false, ...contentIn(response.error), error };
    }
    const result = readResult(response.result, this.#report);
    if ('problem' in result) {
      const message = `Plugin "${this.#plugin}" answered execute of "${operation}", but ${sentence(result.problem)}`;
      return { ok: false, error: { code: 'PROTOCOL_VIOLATION', message } };
    }
    const isKept = result.own['keep_session'] === true;
    const text = isKept ? withoutHint(result.message) : result.message;
    const content = {
      ...(text !== undefined && { text }),
      ...(result.outputs !== undefined && { outputs: result.outputs }),
      ...(isKept && { keepSession: true }),
    };
    if (result.success === true) return { ok: true, ...content };
    const error = this.#unsuccessful(result, operation);
    return { ok: false, error, ...withoutReason(content, error) };
  }

  #refused(error: ErrorObject, operation: string): CallFailure {
    const code = codeOf(error.code);
    return {
      code,
      message: reasonGiven(
        error.message || `Operation "${operation}" failed with ${error.code} and no message.`,
      ),
      wireCode: error.code,
      ...(isJsonObject(error.data) && detailsIn(error.data)),
      // It came out of JSON.
      ...(error.data !== undefined && { data: error.data as Json }),
      ...(code === 'UNKNOWN_TOOL' && this.#suggestionsFor(operation)),
    };
  }

  #unsuccessful({ success, message, error, own }: OperationResult, operation: string): CallFailure {
    // The Go SDK answers so, where the specification wants -32601.
    if (error?.toLowerCase() === `unknown operation: ${operation.toLowerCase()}`)
      return { code: 'UNKNOWN_TOOL', message: reasonGiven(error), ...this.#suggestionsFor(operation) };
    const silent =
      success === undefined
        ? `Plugin "${this.#plugin}" did not say whether operation "${operation}" succeeded; expected "success", true or false, in its result.`
        : `Operation "${operation}" failed and did not say why.`;
    const reason = reasonGiven(error || message || silent);
    return failureFromJson(own['failure'], reason) ?? { code: 'TOOL_FAILED', message: reason };
  }

  #suggestionsFor(operation: string): Pick<CallFailure, 'suggestions'> {
    const suggestions = nearest(operation, this.#operations).filter((name) => name !== operation);
    return suggestions.length === 0 ? {} : { suggestions };
  }
}

/** What an extension of pluglot sends along with an error. */
function contentIn({ data }: ErrorObject): AnswerContent {
  const { text, outputs, keep_session: keepSession } = isJsonObject(data) ? data : {};
  const areTexts =
    isJsonObject(outputs) && Object.values(outputs).every((output) => typeof output === 'string');
  return {
    ...(typeof text === 'string' && { text }),
    ...(areTexts && { outputs: outputs as Readonly<Record<string, string>> }), // checked above
    ...(keepSession === true && { keepSession }),
  };
}

function missingRequirement(plugin: string, operation: string, commands: readonly string[]): Answer {
  const names = commands.map((command) => `"${command}"`).join(' and ');
  const message =
    `Operation "${operation}" of plugin "${plugin}" was not run: the plugin needs ${names}, not found in PATH. ` +
    `Install what is missing, or add its folder to the PATH of the plugin.`;
  return { ok: false, error: { code: 'REQUIREMENT_MISSING', message, wireCode: REQUIREMENT_NOT_MET } };
}

function tooLong(plugin: string, params: ExecuteParams): Answer {
  const message =
    `Operation "${params.operation}" of plugin "${plugin}" was not run: its arguments and context take ${sizeOf(params)} bytes, ` +
    `and an extension of gevals reads lines of up to ${LINE_LIMIT} bytes. Put what is large into a file and pass its path.`;
  return { ok: false, error: { code: 'FRAME_TOO_LARGE', message } };
}

/** Relative folders are resolved from where the host runs, as an extension would do. */
function paramsWriter(defaultWorkdir: string): (request: CallRequest) => ExecuteParams {
  const ownWorkdir = path.resolve(defaultWorkdir);
  // Most calls of a plugin have the same limit, and formatting it is the dearest part of a small call.
  let lastMs = 0;
  let lastTimeout: string | undefined;

  function timeoutOf(ms: number): string | undefined {
    if (ms !== lastMs) {
      lastMs = ms;
      lastTimeout = ms > 0 && ms <= LONGEST_DURATION_MS ? formatDuration(Math.ceil(ms)) : undefined;
    }
    return lastTimeout;
  }

  return function paramsOf({ tool, args, context, timeoutMs }) {
    const workdir = context?.workdir === undefined ? ownWorkdir : path.resolve(context.workdir);
    const agent = context?.agent;
    const phase = context?.phase ?? (agent === undefined ? 'setup' : 'verify');
    // JSON leaves out what is undefined.
    return {
      operation: tool,
      args,
      context: {
        workdir,
        phase,
        env: context?.env,
        timeout: timeoutOf(timeoutMs ?? Infinity),
        agent: phase === 'verify' ? agent : undefined,
      },
    };
  };
}
