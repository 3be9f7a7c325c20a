// A call as it goes: how far it is, what it says, how it ends.
import { useEffect, useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { counted, longDuration, shortDuration } from '../lib/format.ts';
import { progressShown, type ProgressTold } from '../lib/progress.ts';
import { visible } from '../lib/visible.ts';
import { useHost } from '../state/host-context.ts';
import type { CallState, RunningCall } from '../state/running-call.ts';
import { CallResult } from './call-result.tsx';
import { Icon } from './icon.tsx';
import './call-view.css';

export function CallView({
  call,
  note,
  onward,
}: {
  readonly call: RunningCall;
  /** Why it takes its time. */
  readonly note?: ComponentChildren;
  /** Where to go on with what asks back. */
  readonly onward?: ComponentChildren;
}) {
  const state = call.state.value;
  const isRunning = state.status === 'running';
  const isWaiting = asksBack(state) && onward !== undefined;
  const { connection } = useHost();
  const isPast = state.isUnreached === true && connection.value === 'open';
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [call, isRunning]);
  return (
    <section ref={place} class="call panel" aria-label="Result" aria-busy={isRunning}>
      <div class="row call-head">
        {isPast ? (
          <span class="state quiet">Not called</span>
        ) : (
          <Status state={state} isWaiting={isWaiting} />
        )}
        {isRunning ? (
          <button type="button" class="button push" onClick={() => call.cancel()}>
            <Icon name="stop" /> Cancel
          </button>
        ) : null}
      </div>
      {isRunning && note !== undefined ? <p class="call-part">{note}</p> : null}
      {state.progress === undefined || !isRunning ? null : <Progress told={state.progress} />}
      {isPast ? (
        <p class="call-part soft">The host did not answer then. It does now: call again.</p>
      ) : (
        <Failure state={state} />
      )}
      <Logs state={state} />
      <CallResult state={state} />
      {isWaiting ? <div class="call-part row">{onward}</div> : null}
    </section>
  );
}

/** Its answer is a question: it keeps the session for what is said next. */
function asksBack({ status, outcome }: CallState): boolean {
  return status === 'ended' && outcome?.ok === true && outcome.keepSession === true;
}

function Status({ state, isWaiting }: { readonly state: CallState; readonly isWaiting: boolean }) {
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
  if (isWaiting)
    return (
      <span class="state busy" role="status">
        <Icon name="talks" /> Waits for you
      </span>
    );
  const isGood = outcome?.ok === true;
  return (
    <span class={`state ${isGood ? 'good' : 'bad'}`} role="status">
      <Icon name={isGood ? 'check' : 'close'} /> {isGood ? 'Done' : 'Failed'}
      {outcome === undefined ? null : <span class="faint number">{shortDuration(outcome.durationMs)}</span>}
    </span>
  );
}

function Progress({ told }: { readonly told: ProgressTold }) {
  const { words, part } = progressShown(told);
  const { message } = told;
  return (
    <div class="call-part stack tight-stack">
      <progress {...(part !== undefined && { value: part, max: 1 })} aria-label="Progress" />
      <span class="progress-words soft small number">
        <span>{words}</span>
        {message === undefined || message === '' ? null : <span>{visible(message)}</span>}
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
      <summary class="soft">{counted(logs.length, 'log entry', 'log entries')}</summary>
      <pre class="said">{logs.map(({ level, message }) => `${level}  ${visible(message)}`).join('\n')}</pre>
    </details>
  );
}
