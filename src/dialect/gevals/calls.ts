// The operations under way in an extension: sent, heard of, and ended.
import { PluglotError, toError } from '../../base/error.ts';
import type { Exchange } from '../../channel/peer/exchange.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { Answer, CallRequest, CallSink } from '../../definition/outcome.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { HostServices, WireCall } from '../host-dialect.ts';
import { unanswered } from '../failure.ts';
import { answerOf, missingRequirement, tooLong, type Extension } from './answers.ts';
import { paramsWriter, type WriteParams } from './execute-params.ts';
import { fitted } from './line-limit.ts';
import type { ExecuteParams, Tell } from './schema.ts';

export class Calls {
  readonly #peer: Peer;
  readonly #services: HostServices;
  readonly #tell: Tell;
  readonly #paramsOf: WriteParams;
  /** In the order of their start. */
  readonly #running = new Set<OperationCall>();
  /** Programs that the extension needs and that were not there when it was last looked. */
  #missing: readonly string[] = [];
  #extension: Extension;

  constructor(peer: Peer, { name, start }: PluginSpec, services: HostServices, tell: Tell) {
    this.#peer = peer;
    this.#extension = { plugin: name, operations: [] };
    this.#services = services;
    this.#tell = tell;
    this.#paramsOf = paramsWriter((start.kind === 'program' ? start.cwd : undefined) ?? '.');
  }

  introduced({ requires = [], tools }: Manifest): void {
    this.#missing = this.#notThere(requires.map(({ command }) => command));
    this.#extension = { ...this.#extension, operations: tools.map(({ name }) => name) };
  }

  start(request: CallRequest, sink: CallSink): WireCall {
    const call = new OperationCall(request.tool, sink);
    // Who was told what is missing may have installed it.
    if (this.#missing.length > 0) this.#missing = this.#notThere(this.#missing);
    if (this.#missing.length > 0)
      call.end(missingRequirement(this.#extension.plugin, request.tool, this.#missing));
    else this.#send(this.#paramsOf(request), call);
    return call;
  }

  /** A log has no id. Extensions do one thing after the other, so the oldest call is the one that logs. */
  log(entry: LogEntry): void {
    const [oldest] = this.#running;
    if (oldest === undefined) this.#services.log(entry);
    else oldest.sink.event({ kind: 'log', ...entry });
  }

  #notThere(commands: readonly string[]): readonly string[] {
    return commands.filter((command) => !this.#services.hasCommand(command));
  }

  #send(params: ExecuteParams, call: OperationCall): void {
    try {
      this.#follow(this.#peer.open('execute', params), call);
    } catch (thrown) {
      const error = toError(thrown);
      if (error instanceof PluglotError && error.code === 'FRAME_TOO_LARGE') this.#sendLess(params, call);
      else call.end({ ok: false, error: unanswered(error) });
    }
  }

  #sendLess(params: ExecuteParams, call: OperationCall): void {
    const less = fitted(params);
    if (less === undefined) {
      call.end(tooLong(this.#extension.plugin, params));
      return;
    }
    for (const message of less.cuts) call.sink.event({ kind: 'log', level: 'warn', message });
    this.#send(less.params, call);
  }

  #follow(exchange: Exchange, call: OperationCall): void {
    this.#running.add(call);
    exchange.onResponse((response) => {
      this.#running.delete(call);
      call.end(answerOf(response, call.operation, this.#extension, this.#tell));
    });
    exchange.onFailure((error) => {
      this.#running.delete(call);
      call.end({ ok: false, error: unanswered(error) });
    });
  }
}

class OperationCall implements WireCall {
  readonly operation: string;
  readonly sink: CallSink;
  #isOver = false;

  constructor(operation: string, sink: CallSink) {
    this.operation = operation;
    this.sink = sink;
  }

  end(answer: Answer): void {
    this.#isOver = true;
    this.sink.end(answer);
  }

  /** gevals has no word for it. */
  cancel(): 'free' | 'occupied' {
    return this.#isOver ? 'free' : 'occupied';
  }
}
