// A call: its progress, its output as it arrives, and how it ended.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { counted, longDuration, progressText, shortDuration, type CallProgress } from '../lib/format.ts';
import { visible } from '../lib/text.ts';
import type { CallState, RunningCall } from '../state/calls.ts';
import { useHost } from '../state/host.ts';
import { Button } from './buttons.tsx';
import { CallResult } from './call-result.tsx';
import { Icon } from './icon.tsx';
import { Callout } from './layout.tsx';
import './call-view.css';

interface CallViewProps {
  readonly call: RunningCall;
  /** Why it is still running. */
  readonly note?: ComponentChildren;
  /** How to continue with a tool that expects an answer. */
  readonly onward?: ComponentChildren;
}

export function CallView({ call, note, onward }: CallViewProps) {
  const state = call.state.value;
  const isRunning = state.status === 'running';
  const isWaiting = expectsAnswer(state) && onward !== undefined;
  const { connection } = useHost();
  const isOutdated = state.isUnreached === true && connection.value === 'open';
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [call, isRunning]);
  return (
    <section ref={place} class="call panel" aria-label="Result" aria-busy={isRunning}>
      <div class="row call-head">
        {isOutdated ? (
          <span class="state quiet">Not called</span>
        ) : (
          <Status state={state} isWaiting={isWaiting} />
        )}
        {isRunning ? (
          <Button icon="stop" class="push" onClick={() => call.cancel()}>
            Cancel
          </Button>
        ) : null}
      </div>
      {isRunning && note !== undefined ? <p class="call-part">{note}</p> : null}
      {state.progress === undefined || !isRunning ? null : <Progress progress={state.progress} />}
      {isOutdated ? (
        <p class="call-part soft">The host did not respond at that time. It does now: call again.</p>
      ) : (
        <Failure state={state} />
      )}
      <Logs state={state} />
      <CallResult state={state} />
      {isWaiting ? <div class="call-part row">{onward}</div> : null}
    </section>
  );
}

/** The tool keeps the session for the user's next message. */
function expectsAnswer({ status, outcome }: CallState): boolean {
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
        <Icon name="talks" /> Waiting for you
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

function Progress({ progress }: { readonly progress: CallProgress }) {
  const { text, part } = progressText(progress);
  const { message } = progress;
  return (
    <div class="call-part stack tight-stack">
      <progress {...(part !== undefined && { value: part, max: 1 })} aria-label="Progress" />
      <span class="progress-text soft small number">
        <span>{text}</span>
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
      <Callout tone="bad" title={error?.code ?? 'The call could not be made'}>
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
            <summary>Last output on stderr</summary>
            <pre class="said">{visible(error.stderr)}</pre>
          </details>
        )}
      </Callout>
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
