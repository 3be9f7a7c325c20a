// Questions to an executor that are asked together: they travel in one message where it takes several, each as a call of its own.
import type { ExecutorFacet, ExecutorQuestion, HostEnd, WireCall } from '../../dialect/host-dialect.ts';
import type { CodeRequest, TaskRequest } from '../../definition/plan.ts';
import type { OpenCall, Send } from './open-call.ts';

/** What an executor can be asked in a batch. */
export type TaskQuestion =
  | { readonly kind: 'task'; readonly request: TaskRequest }
  | { readonly kind: 'code'; readonly request: CodeRequest };

export class TaskBatch {
  readonly #executorOf: (end: HostEnd) => ExecutorFacet;
  /** Those whose turn has come, by the process that they go to. */
  readonly #ready = new Map<ExecutorFacet, Passenger[]>();

  /** @param executorOf throws where it is none */
  constructor(executorOf: (end: HostEnd) => ExecutorFacet) {
    this.#executorOf = executorOf;
  }

  /** All whose turn comes in the same moment go together; the others when theirs has come. */
  sendOf(question: TaskQuestion): Send {
    return (end, call) => {
      const executor = this.#executorOf(end);
      const passenger = new Passenger(question, call);
      const ready = this.#ready.get(executor);
      if (ready === undefined) {
        this.#ready.set(executor, [passenger]);
        queueMicrotask(() => this.#depart(executor));
      } else ready.push(passenger);
      return passenger;
    };
  }

  #depart(executor: ExecutorFacet): void {
    const all = this.#ready.get(executor) ?? [];
    this.#ready.delete(executor);
    const passengers = all.filter(({ isGivenUp }) => !isGivenUp);
    const batch = executor.batch?.bind(executor);
    if (batch === undefined || passengers.length === 1)
      for (const one of passengers) one.go(askAlone(executor, one.question));
    else {
      const wires = batch(passengers.map(({ question }) => question));
      for (const [index, one] of passengers.entries()) one.go(wires[index]);
    }
  }
}

function askAlone(executor: ExecutorFacet, question: ExecutorQuestion): WireCall {
  return question.kind === 'task'
    ? executor.executeTask(question.request, question.sink)
    : executor.validateCode(question.request, question.sink);
}

/** Stands for a call on the wire until it is there. */
class Passenger implements WireCall {
  readonly question: ExecutorQuestion;
  isGivenUp = false;
  #wire: WireCall | undefined;

  constructor(question: TaskQuestion, sink: OpenCall) {
    this.question = { ...question, sink };
  }

  go(wire: WireCall | undefined): void {
    this.#wire = wire;
  }

  cancel(reason: string): 'free' | 'occupied' {
    if (this.#wire !== undefined) return this.#wire.cancel(reason);
    this.isGivenUp = true;
    return 'free';
  }
}
