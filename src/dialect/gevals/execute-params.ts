// What an extension is told of a call.
import path from 'node:path';
import { formatDuration, LONGEST_DURATION_MS } from '../../base/duration.ts';
import type { CallRequest } from '../../definition/outcome.ts';
import type { ExecuteParams } from './schema.ts';

export type WriteParams = (request: CallRequest) => ExecuteParams;

/** Relative folders are taken from where the host runs, as an extension would take them. */
export function paramsWriter(defaultWorkdir: string): WriteParams {
  const ownWorkdir = path.resolve(defaultWorkdir);
  // Most calls of a plugin have the same limit, and writing it is the dearest part of a small call.
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
        timeout: timeoutOf(timeoutMs),
        agent: phase === 'verify' ? agent : undefined,
      },
    };
  };
}
