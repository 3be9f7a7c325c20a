// What a plugin can be asked for beside its tools. Each question starts it when it does not run.
import { PluglotError, toError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Health } from '../../definition/manifest.ts';
import type { CodeRequest, ContextUpdate, PlanRequest, TaskRequest } from '../../definition/plan.ts';
import type { PluginLimits } from '../../definition/plugin-spec.ts';
import type { ExecutorFacet, HostEnd, PromptsFacet, ResourcesFacet } from '../../dialect/host-dialect.ts';
import type { Abilities } from '../introductions/introductions.ts';
import type { ExtractSource, FileType, Support } from '../../definition/extraction.ts';
import type { Call, CallOptions } from './call.ts';
import type { CallMaker } from './call-maker.ts';
import { firstReady } from './instances.ts';
import type { LiveInstance, Send } from './open-call.ts';
import { TaskBatch, type TaskQuestion } from './task-batch.ts';

export interface FacetPorts {
  readonly name: string;
  readonly calls: Pick<CallMaker, 'submit'>;
  readonly instances: readonly LiveInstance[];
  limits(): Required<PluginLimits> | undefined;
  /** Why it will not be started, when it will not. */
  refusal(): PluglotError | undefined;
}

export function abilitiesOf(end: HostEnd): Abilities {
  return {
    talks: end.talk !== undefined,
    plans: end.planner !== undefined,
    executes: end.executor !== undefined,
    keepsContext: end.updateContext !== undefined,
  };
}

export class Facets {
  readonly #ports: FacetPorts;

  constructor(ports: FacetPorts) {
    this.#ports = ports;
  }

  extract(
    source: ExtractSource,
    type: FileType | undefined,
    extractOptions: JsonObject,
    options: CallOptions | undefined,
  ): Call {
    return this.#submit('extract', options, (end, call) => {
      if (end.extractor === undefined) throw this.#lacks('extractor');
      return end.extractor.extract(source, extractOptions, call, type);
    });
  }

  createPlan(request: PlanRequest, options: CallOptions | undefined): Call {
    return this.#submit('create_plan', options, (end, call) => {
      if (end.planner === undefined) throw this.#lacks('planner');
      return end.planner.createPlan(request, call);
    });
  }

  executeTask(request: TaskRequest, options: CallOptions | undefined): Call {
    return this.#submit('execute_task', options, (end, call) => {
      return this.#executorOf(end).executeTask(request, call);
    });
  }

  executeBatch(questions: readonly TaskQuestion[], options: CallOptions | undefined): readonly Call[] {
    const batch = new TaskBatch((end) => this.#executorOf(end));
    return questions.map((question) =>
      this.#submit(
        question.kind === 'task' ? 'execute_task' : 'validate_code',
        options,
        batch.sendOf(question),
      ),
    );
  }

  validateCode(request: CodeRequest, options: CallOptions | undefined): Call {
    return this.#submit('validate_code', options, (end, call) => {
      return this.#executorOf(end).validateCode(request, call);
    });
  }

  updateContext(update: ContextUpdate, options: CallOptions | undefined): Call {
    return this.#submit('update_context', options, (end, call) => {
      if (end.updateContext === undefined) throw this.#lacks('context that could be updated');
      return end.updateContext(update, call);
    });
  }

  async supports(type: FileType): Promise<Support> {
    const { extractor } = await this.#ready();
    if (extractor === undefined) return { supported: false, confidence: 0 };
    return extractor.supports(type, this.#ports.limits()?.healthMs ?? 0);
  }

  async resources(): Promise<ResourcesFacet> {
    const { resources } = await this.#ready();
    if (resources === undefined) throw this.#lacks('resources');
    return resources;
  }

  async prompts(): Promise<PromptsFacet> {
    const { prompts } = await this.#ready();
    if (prompts === undefined) throw this.#lacks('prompts');
    return prompts;
  }

  /** Undefined when it does not run. */
  async health(): Promise<Health | undefined> {
    const ready = this.#ports.instances.find(({ end }) => end !== undefined);
    if (ready?.end === undefined) return undefined;
    if (ready.calls.size > 0) return { status: 'ok', message: 'It is busy with a call.' };
    const { healthMs = 0, pingMs = 0 } = this.#ports.limits() ?? {};
    try {
      if (ready.end.health !== undefined) return await ready.end.health(healthMs);
      await ready.end.ping?.(pingMs);
      return { status: 'ok' };
    } catch (error) {
      return { status: 'error', message: toError(error).message };
    }
  }

  /** `name` stands for the tool in what is said of the call. */
  #submit(name: string, options: CallOptions | undefined, send: Send): Call {
    return this.#ports.calls.submit(send, name, {}, options);
  }

  async #ready(): Promise<HostEnd> {
    const { instances } = this.#ports;
    const ready = instances.find(({ end }) => end !== undefined)?.end;
    if (ready !== undefined) return ready;
    const refusal = this.#ports.refusal();
    if (refusal !== undefined) throw refusal;
    return firstReady(instances);
  }

  #executorOf({ executor }: HostEnd): ExecutorFacet {
    if (executor === undefined) throw this.#lacks('executor');
    return executor;
  }

  #lacks(what: string): PluglotError {
    return new PluglotError('UNSUPPORTED', `Plugin "${this.#ports.name}" has no ${what}.`);
  }
}
