// A running call: its output so far, its outcome, and how to cancel it.
import { type ReadonlySignal, signal } from '@preact/signals';
import type { JsonObject } from '../../../../base/json.ts';
import { type Api, ApiError, messageOf, segment } from '../api/client.ts';
import type { ApiPath, CallOutcome, LogRecord } from '../api/types.ts';
import { type CallProgress, nextProgress } from '../lib/format.ts';

export interface CallState {
  readonly status: 'running' | 'ended' | 'cancelled' | 'failed';
  readonly text: string;
  readonly logs: readonly Pick<LogRecord, 'level' | 'message'>[];
  readonly progress?: CallProgress;
  readonly outcome?: CallOutcome;
  /** Why there is no outcome. */
  readonly problem?: string;
  /** The host was not reached, so nothing was called. */
  readonly isUnreached?: boolean;
  readonly startedAt: number;
}

export interface RunningCall {
  readonly state: ReadonlySignal<CallState>;
  readonly ended: Promise<CallState>;
  cancel(): void;
}

export type CallApi = Pick<Api, 'send' | 'stream'>;

export interface StartCallOptions {
  readonly nextFrame?: (step: () => void) => unknown;
  /** Receives events that do not belong to a call. */
  readonly onOther?: (name: string, data: unknown) => void;
}

/** Of streamed text; the outcome has all of it. */
const TEXT_MAX = 1_000_000;
const LOGS_MAX = 200;

export function startCall(
  api: CallApi,
  path: ApiPath<'POST'>,
  body: JsonObject,
  { nextFrame = requestAnimationFrame, onOther }: StartCallOptions = {},
): RunningCall {
  const stop = new AbortController();
  const state = signal<CallState>({ status: 'running', text: '', logs: [], startedAt: Date.now() });
  let current = state.value;
  let id: string | undefined;
  let isDrawing = false;
  // Drawn once a frame, however many chunks arrive.
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
  const onEvent = (name: string, data: unknown) => {
    // The host has the version of this page, so the data has these types.
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
        change({ progress: nextProgress(current.progress, data as CallProgress) });
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
        onEvent,
      });
      if (current.outcome !== undefined) return settle({ status: 'ended' });
      return settle({ status: 'failed', problem: 'The connection was lost before the call ended.' });
    } catch (error) {
      if (stop.signal.aborted) return settle({ status: 'cancelled' });
      const isUnreached = error instanceof ApiError && error.status === 0;
      return settle({ status: 'failed', problem: messageOf(error), ...(isUnreached && { isUnreached }) });
    }
  };
  return {
    state,
    ended: run(),
    cancel() {
      if (current.status !== 'running') return;
      // Closing the connection cancels it too, but not explicitly.
      if (id !== undefined) api.send('DELETE', `/calls/${segment(id)}`).catch(() => {});
      stop.abort();
    },
  };
}
