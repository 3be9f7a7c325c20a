// A call as it goes: progress, what it says, and its result in the form somebody likes to read.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Json } from '../../../../base/json.ts';
import type { CallOutcome } from '../api/types.ts';
import { longDuration, shortDuration } from '../lib/format.ts';
import { parsedJson, prettyJson } from '../lib/json-node.ts';
import { useHost } from '../state/host-context.ts';
import type { CallState, RunningCall } from '../state/running-call.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';
import { JsonView } from './json-view.tsx';
import { MarkdownView } from './markdown-view.tsx';
import { visible } from '../lib/visible.ts';
import { Tabs } from './tabs.tsx';
import './call-view.css';

type Form = 'text' | 'markdown' | 'json';

const SHOWN = 100_000;

export function CallView({ call }: { readonly call: RunningCall }) {
  const state = call.state.value;
  const isRunning = state.status === 'running';
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [call, isRunning]);
  return (
    <section ref={place} class="call panel" aria-label="Result" aria-busy={isRunning}>
      <div class="row call-head">
        <Status state={state} />
        {isRunning ? (
          <button type="button" class="button push" onClick={() => call.cancel()}>
            <Icon name="stop" /> Cancel
          </button>
        ) : null}
      </div>
      {state.progress === undefined || !isRunning ? null : <Progress {...state.progress} />}
      <Failure state={state} />
      <Logs state={state} />
      <Said state={state} />
    </section>
  );
}

function Status({ state }: { readonly state: CallState }) {
  const { now } = useHost();
  const { outcome } = state;
  if (state.status === 'running')
    return (
      <span class="state busy" role="status">
        <span class="spinner" aria-hidden="true" /> Running{' '}
        <span class="faint number">{longDuration(now.value - state.startedAt)}</span>
      </span>
    );
  if (state.status === 'cancelled') return <span class="state quiet">Cancelled</span>;
  const isGood = outcome?.ok === true;
  return (
    <span class={`state ${isGood ? 'good' : 'bad'}`} role="status">
      <Icon name={isGood ? 'check' : 'close'} /> {isGood ? 'Done' : 'Failed'}
      {outcome === undefined ? null : <span class="faint number">{shortDuration(outcome.durationMs)}</span>}
    </span>
  );
}

function Progress({
  progress,
  total,
  message,
}: {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}) {
  return (
    <div class="call-part stack tight-stack">
      <progress {...(total === undefined ? {} : { value: progress, max: total })} aria-label="Progress" />
      <span class="soft small number">
        {total === undefined ? progress : `${progress} of ${total}`}
        {message === undefined ? '' : ` · ${visible(message)}`}
      </span>
    </div>
  );
}

function Failure({ state: { outcome, problem } }: { readonly state: CallState }) {
  const error = outcome?.ok === false ? outcome.error : undefined;
  if (error === undefined && problem === undefined) return null;
  return (
    <div class="call-part">
      <div class="callout bad">
        <h3>
          <Icon name="warning" /> {error?.code ?? 'The call could not be made'}
        </h3>
        <pre>{visible(error?.message ?? problem ?? '')}</pre>
        {error?.suggestions === undefined ? null : (
          <ul class="dotted">
            {error.suggestions.map((suggestion) => (
              <li key={suggestion}>{visible(suggestion)}</li>
            ))}
          </ul>
        )}
        {error?.stderr === undefined || error.stderr === '' ? null : (
          <details>
            <summary>What the process printed last</summary>
            <pre class="said">{visible(error.stderr)}</pre>
          </details>
        )}
      </div>
    </div>
  );
}

function Logs({ state: { logs } }: { readonly state: CallState }) {
  if (logs.length === 0) return null;
  return (
    <details class="call-part">
      <summary class="soft">{logs.length} log entries</summary>
      <pre class="said">{logs.map(({ level, message }) => `${level}  ${visible(message)}`).join('\n')}</pre>
    </details>
  );
}

function Said({ state }: { readonly state: CallState }) {
  const { outcome, text: streamed } = state;
  const text = outcome?.text ?? streamed;
  const data = dataOf(outcome, text);
  const [wish, setWish] = useState<Form>();
  const form = wish ?? (text === '' && data !== undefined ? 'json' : 'text');
  if (text === '' && data === undefined)
    return state.status === 'ended' && outcome?.ok === true ? (
      <p class="call-part soft">It answered without a text.</p>
    ) : null;
  return (
    <div class="call-part stack">
      <Tabs
        id="result"
        label="Result as"
        tabs={[
          { name: 'text', label: 'Text' },
          { name: 'markdown', label: 'Markdown' },
          { name: 'json', label: 'JSON' },
        ]}
        chosen={form}
        onChoose={setWish}
      >
        <span class="push">
          <CopyButton
            text={() => (form === 'json' && data !== undefined ? prettyJson(data) : text)}
            label="Copy the result"
          />
        </span>
      </Tabs>
      {form === 'json' ? (
        data === undefined ? (
          <p class="soft">The answer is no JSON.</p>
        ) : (
          <JsonView value={data} />
        )
      ) : text === '' ? (
        <p class="soft">It answered with data alone: see JSON.</p>
      ) : form === 'markdown' ? (
        <MarkdownView text={text} />
      ) : (
        <>
          <pre class="said" tabIndex={0} role="log" aria-label="Text of the call">
            {visible(text.slice(0, SHOWN))}
          </pre>
          {text.length > SHOWN ? (
            <p class="soft">
              {text.length - SHOWN} more characters are not shown; copying takes all of them.
            </p>
          ) : null}
        </>
      )}
    </div>
  );
}

/** What can be shown as a tree: data, else a text that is JSON. */
function dataOf(outcome: CallOutcome | undefined, text: string): Json | undefined {
  if (outcome?.data !== undefined) return outcome.data;
  if (outcome?.outputs !== undefined && Object.keys(outcome.outputs).length > 0)
    return { ...outcome.outputs };
  return /^\s*[[{]/.test(text) && text.length < 5_000_000 && outcome !== undefined
    ? parsedJson(text)
    : undefined;
}
