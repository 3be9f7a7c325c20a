// A conversation with a plugin: its messages, the tools that it can start with, and why it has not started yet.
import { type ReadonlySignal, signal } from '@preact/signals';
import type { JsonObject } from '../../../../../base/json.ts';
import { ApiError, segment } from '../../api/client.ts';
import type { CallOutcome, PluginView, Question, TalkEnding, ToolView } from '../../api/types.ts';
import { type CallApi, type RunningCall, startCall } from '../../state/calls.ts';

export interface ChatLine {
  readonly key: number;
  readonly by: 'user' | 'plugin' | 'page';
  readonly text: string;
  readonly isBad?: boolean;
}

interface TalkState {
  readonly status: 'starting' | 'listening' | 'speaking' | 'ended';
  readonly lines: readonly ChatLine[];
  /** The answer that is being streamed. */
  readonly answer?: RunningCall;
}

export interface ConsoleTalk {
  readonly tool: string;
  readonly plugin: string;
  readonly state: ReadonlySignal<TalkState>;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  say(content: string): Promise<void>;
  /** Works whatever the plugin does. */
  end(): Promise<void>;
}

const LINES_MAX = 500;
const LEFT = 'You left the conversation.';
const LOST = 'The connection to the host was lost, which ended the conversation.';
const ENDED_BY_HOST = 'The host ended the conversation.';

export function startTalk(
  api: CallApi,
  { name: tool, plugin }: { readonly name: string; readonly plugin: string },
  args: JsonObject,
): ConsoleTalk {
  const state = signal<TalkState>({ status: 'starting', lines: [] });
  let id: string | undefined;
  let next = 0;
  const add = (by: ChatLine['by'], text: string, isBad = false): readonly ChatLine[] =>
    [...state.value.lines, { key: next++, by, text, isBad }].slice(-LINES_MAX);
  const over = new AbortController();
  const ended = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()));
  const finish = (note: string, isBad = false) => {
    id = undefined;
    over.abort();
    state.value = { status: 'ended', lines: add('page', note, isBad) };
  };
  const take = (outcome: CallOutcome) => {
    if (state.value.status === 'ended') return;
    const text =
      outcome.text ?? (outcome.data === undefined ? '' : JSON.stringify(outcome.data, undefined, 2));
    if (text !== '') state.value = { status: 'listening', lines: add('plugin', text) };
    if (!outcome.ok) finish(outcome.error.message, true);
    else if (outcome.keepSession === true) state.value = { status: 'listening', lines: state.value.lines };
    else finish('The plugin ended the conversation.');
  };
  const listen = async (answer: RunningCall) => {
    const { outcome, problem, status } = await answer.ended;
    if (outcome !== undefined) take(outcome);
    else if (state.value.status !== 'ended') finish(problem ?? LEFT, status === 'failed');
  };
  /** An open stream keeps the conversation alive at the host, and reports what ends it between two messages. */
  const hold = (name: string) => {
    id = name;
    let isReported = false;
    const onEvent = (_: string, data: unknown) => {
      const ending = data as TalkEnding;
      isReported = true;
      if (state.value.status !== 'listening') return;
      if (ending.reason === 'failed') finish(ending.error.message, true);
      else if (ending.reason === 'left') finish(ENDED_BY_HOST);
    };
    const lost = () => {
      if (isReported || over.signal.aborted) return;
      state.value.answer?.cancel();
      finish(LOST, true);
    };
    // Without this stream the host ends the conversation.
    api.stream(`/talks/${segment(name)}`, { signal: over.signal, onEvent }).then(lost, (error: unknown) => {
      // Where the host refuses the stream, the next message shows why.
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
  state.value = { status: 'starting', lines: [], answer: opening };
  void listen(opening);
  return {
    tool,
    plugin,
    state,
    ended,
    async say(content) {
      if (id === undefined || state.value.status !== 'listening' || content.trim() === '') return;
      const answer = startCall(api, `/talks/${segment(id)}/say`, { content });
      state.value = { status: 'speaking', lines: add('user', content), answer };
      await listen(answer);
    },
    async end() {
      const ending = id;
      state.value.answer?.cancel();
      finish(LEFT);
      if (ending !== undefined) await api.send('DELETE', `/talks/${segment(ending)}`).catch(() => {});
    },
  };
}

/** The tools of plugins that talk. Whether a tool keeps the session is known only after a call. */
export function talkingTools(
  tools: readonly ToolView[],
  plugins: readonly Pick<PluginView, 'name' | 'talks'>[],
): ToolView[] {
  const talking = new Set(plugins.flatMap(({ name, talks }) => (talks === true ? [name] : [])));
  return tools.filter(({ plugin, enabled }) => enabled && talking.has(plugin));
}

/** The chosen tool, or the only one. */
export function chosenTool(tools: readonly ToolView[], chosen: string): ToolView | undefined {
  return tools.find(({ name }) => name === chosen) ?? (tools.length === 1 ? tools[0] : undefined);
}

export function toolLabel({ name, plugin }: Pick<ToolView, 'name' | 'plugin'>): string {
  return `${name} (${plugin})`;
}

export type WaitReason =
  | { readonly for: 'approval' }
  | { readonly for: 'others' | 'plugin' | 'turn' | 'unknown'; readonly text: string };

/** Without an answer for this long, the page says that something may be wrong. */
const PATIENCE_MS = 5000;

/** Undefined: it is just starting. */
export function waitReason(
  { tool, plugin: name }: { readonly tool: string; readonly plugin: string },
  plugins: readonly PluginView[],
  questions: readonly Question[],
  waitedMs: number,
): WaitReason | undefined {
  if (questions.some((question) => question.tool === tool && question.caller.kind === 'user'))
    return { for: 'approval' };
  const plugin = plugins.find((one) => one.name === name);
  if (plugin === undefined) return undefined;
  const { state, stats } = plugin;
  if (plugin.talking === true && stats.waiting > 0)
    return {
      for: 'others',
      text: `${name} is in another conversation. Yours starts when that one ends.`,
    };
  if (state !== 'ready' && state !== 'busy')
    return { for: 'plugin', text: `${name} is ${state}. The conversation starts when it is ready.` };
  if (stats.waiting > 0)
    return { for: 'turn', text: `${name} is busy with other calls. Yours starts after them.` };
  return waitedMs < PATIENCE_MS
    ? undefined
    : { for: 'unknown', text: `${name} has not answered yet. It may be busy with another caller.` };
}
