// A conversation with a plugin, as this page sees it: who said what, and whether the plugin still listens.
import { signal, type ReadonlySignal } from '@preact/signals';
import type { JsonObject } from '../../../../../base/json.ts';
import { ApiError, part } from '../../api/client.ts';
import type { CallOutcome, TalkEnding } from '../../api/types.ts';
import { startCall, type CallApi, type RunningCall } from '../../state/running-call.ts';

export interface Said {
  readonly key: number;
  readonly by: 'user' | 'plugin' | 'page';
  readonly text: string;
  readonly isBad?: boolean;
}

interface TalkState {
  readonly status: 'starting' | 'listening' | 'speaking' | 'ended';
  readonly said: readonly Said[];
  /** What the plugin says just now. */
  readonly answer?: RunningCall;
}

export interface ConsoleTalk {
  readonly tool: string;
  readonly plugin: string;
  readonly state: ReadonlySignal<TalkState>;
  /** Resolves when it is over. */
  readonly ended: Promise<void>;
  say(content: string): Promise<void>;
  /** The way out, whatever the plugin wants. */
  end(): Promise<void>;
}

const SAID_MAX = 500;
const LEFT = 'You have left the conversation.';
const LOST = 'The host went away, and the conversation ended with it.';
const ENDED_THERE = 'The host has ended the conversation.';

export function startTalk(
  api: CallApi,
  { name: tool, plugin }: { readonly name: string; readonly plugin: string },
  args: JsonObject,
): ConsoleTalk {
  const state = signal<TalkState>({ status: 'starting', said: [] });
  let id: string | undefined;
  let next = 0;
  const add = (by: Said['by'], text: string, isBad = false): readonly Said[] =>
    [...state.value.said, { key: next++, by, text, isBad }].slice(-SAID_MAX);
  const over = new AbortController();
  const ended = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()));
  const finish = (words: string, isBad = false) => {
    id = undefined;
    over.abort();
    state.value = { status: 'ended', said: add('page', words, isBad) };
  };
  const hear = (outcome: CallOutcome) => {
    if (state.value.status === 'ended') return;
    const text =
      outcome.text ?? (outcome.data === undefined ? '' : JSON.stringify(outcome.data, undefined, 2));
    if (text !== '') state.value = { status: 'listening', said: add('plugin', text) };
    if (!outcome.ok) finish(outcome.error.message, true);
    else if (outcome.keepSession === true) state.value = { status: 'listening', said: state.value.said };
    else finish('The plugin has ended the conversation.');
  };
  const listen = async (answer: RunningCall) => {
    const { outcome, problem, status } = await answer.ended;
    if (outcome !== undefined) hear(outcome);
    else if (state.value.status !== 'ended') finish(problem ?? LEFT, status === 'failed');
  };
  /** The host knows by it that this page is there, and tells on it what ends the conversation while nothing is said. */
  const hold = (name: string) => {
    id = name;
    let isTold = false;
    const onEvent = (_: string, data: unknown) => {
      const ending = data as TalkEnding;
      isTold = true;
      if (state.value.status !== 'listening') return;
      if (ending.reason === 'failed') finish(ending.error.message, true);
      else if (ending.reason === 'left') finish(ENDED_THERE);
    };
    const lost = () => {
      if (isTold || over.signal.aborted) return;
      state.value.answer?.cancel();
      finish(LOST, true);
    };
    // A host ends what nobody holds, and one that is gone has ended it anyway.
    api.stream(`/talks/${part(name)}`, { signal: over.signal, onEvent }).then(lost, (error: unknown) => {
      // Where it refuses to have it held, what is said next tells why.
      if (!(error instanceof ApiError) || error.status === 0) lost();
    });
  };
  const opening = startCall(
    api,
    '/talks',
    { tool, args },
    {
      onOther: (name, data) => {
        if (name === 'talk') hold((data as { talk: string }).talk);
      },
    },
  );
  state.value = { status: 'starting', said: [], answer: opening };
  void listen(opening);
  return {
    tool,
    plugin,
    state,
    ended,
    async say(content) {
      if (id === undefined || state.value.status !== 'listening' || content.trim() === '') return;
      const answer = startCall(api, `/talks/${part(id)}/say`, { content });
      state.value = { status: 'speaking', said: add('user', content), answer };
      await listen(answer);
    },
    async end() {
      const ending = id;
      state.value.answer?.cancel();
      finish(LEFT);
      if (ending !== undefined) await api.send('DELETE', `/talks/${part(ending)}`).catch(() => {});
    },
  };
}
