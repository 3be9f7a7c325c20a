// One call under way: what it says as it comes, how it ends, and the way to stop it.
import { signal, type ReadonlySignal } from '@preact/signals';
import type { JsonObject } from '../../../../base/json.ts';
import type { Api } from '../api/client.ts';
import { ApiError, part, wordsOf } from '../api/client.ts';
import type { CallOutcome, LogRecord } from '../api/types.ts';
import { nextProgress, type ProgressTold } from '../lib/progress.ts';

export interface CallState {
  readonly status: 'running' | 'ended' | 'cancelled' | 'failed';
  readonly text: string;
  readonly logs: readonly Pick<LogRecord, 'level' | 'message'>[];
  readonly progress?: ProgressTold;
  readonly outcome?: CallOutcome;
  /** Where no outcome came: what went wrong on the way. */
  readonly problem?: string;
  /** The host was not there: nothing was called. */
  readonly isUnreached?: boolean;
  readonly startedAt: number;
}

export interface RunningCall {
  readonly state: ReadonlySignal<CallState>;
  readonly ended: Promise<CallState>;
  cancel(): void;
}

/** What a call needs of the API. */
export type CallApi = Pick<Api, 'send' | 'stream'>;

export interface StartCallOptions {
  readonly nextFrame?: (step: () => void) => unknown;
  /** Hears what is no event of a call. */
  readonly onOther?: (name: string, data: unknown) => void;
}

/** More is kept by whoever called; the page shows the beginning. */
const TEXT_MAX = 1_000_000;
const LOGS_MAX = 200;

export function startCall(
  api: CallApi,
  path: string,
  body: JsonObject,
  { nextFrame = requestAnimationFrame, onOther }: StartCallOptions = {},
): RunningCall {
  const stop = new AbortController();
  const state = signal<CallState>({ status: 'running', text: '', logs: [], startedAt: Date.now() });
  let current = state.value;
  let id: string | undefined;
  let isDrawing = false;
  // Many small texts in one frame are drawn once.
  const change = (changes: Partial<CallState>) => {
    current = { ...current, ...changes };
    if (isDrawing) return;
    isDrawing = true;
    nextFrame(() => {
      isDrawing = false;
      state.value = current;
    });
  };
  const settle = (changes: Partial<CallState>) => {
    current = { ...current, ...changes };
    state.value = current;
    return current;
  };
  const hear = (name: string, data: unknown) => {
    // Of our own host, of this version.
    switch (name) {
      case 'text': {
        const { text } = data as { text: string };
        if (current.text.length < TEXT_MAX) change({ text: current.text + text });
        break;
      }
      case 'log':
        change({ logs: [...current.logs.slice(1 - LOGS_MAX), data as LogRecord] });
        break;
      case 'progress':
        change({ progress: nextProgress(current.progress, data as ProgressTold) });
        break;
      case 'outcome':
        current = { ...current, outcome: data as CallOutcome };
        break;
      default:
        onOther?.(name, data);
    }
  };
  const run = async () => {
    try {
      await api.stream(path, {
        method: 'POST',
        body,
        signal: stop.signal,
        onOpen: (response) => (id = response.headers.get('x-pluglot-call') ?? undefined),
        onEvent: hear,
      });
      if (current.outcome !== undefined) return settle({ status: 'ended' });
      return settle({ status: 'failed', problem: 'The connection ended before the call did.' });
    } catch (error) {
      if (stop.signal.aborted) return settle({ status: 'cancelled' });
      const isUnreached = error instanceof ApiError && error.status === 0;
      return settle({ status: 'failed', problem: wordsOf(error), ...(isUnreached && { isUnreached }) });
    }
  };
  return {
    state,
    ended: run(),
    cancel() {
      if (current.status !== 'running') return;
      // The end of the connection cancels it too; this one says so in words.
      if (id !== undefined) api.send('DELETE', `/calls/${part(id)}`).catch(() => {});
      stop.abort();
    },
  };
}
