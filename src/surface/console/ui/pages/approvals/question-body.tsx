// What would be done, and why the host asks. Text of others is in frames of its own.
import { revealed } from '../../../../../base/printable.ts';
import type { Question } from '../../api/types.ts';
import { longDuration } from '../../lib/format.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { Callout } from '../../parts/layout.tsx';
import { Diff, Quoted } from '../../parts/quoted.tsx';
import { useHost } from '../../state/host.ts';
import { argumentsRepeatSignature, callerText, repeatsSignature } from './answer.ts';

const requests: Readonly<Record<Question['kind'], string>> = {
  tool: 'call a tool of',
  command: 'run a command of',
  resource: 'read a resource of',
  prompt: 'get a prompt of',
};

export function QuestionBody({ question }: { readonly question: Question }) {
  const { summary, details, intent, diff, changedDefinition, plugin } = question;
  const isHost = question.describedBy === 'host';
  return (
    <>
      <header class="stack tight-stack">
        <div class="question-head">
          <h2 id="question-title">
            {callerText(question)} wants to {requests[question.kind]} <code>{revealed(plugin)}</code>
          </h2>
          <TimeLeft until={question.expiresAt} />
        </div>
        <p class="soft">Why you are asked: {revealed(question.reason)}</p>
      </header>
      <div class="signature">
        <code>{revealed(question.signature)}</code>
      </div>
      {changedDefinition === undefined ? null : (
        <Callout tone="warn" title="This tool is not the one that was approved">
          <p>Its definition is new or has changed since then. Check the difference before you allow it.</p>
          <Quoted by="What changed in the definition">
            <Diff text={changedDefinition} />
          </Quoted>
        </Callout>
      )}
      {intent === undefined ? null : (
        <Quoted by={`Purpose, according to ${callerText(question)} (not verified)`} text={intent} />
      )}
      {summary === undefined || repeatsSignature(question, summary) ? null : (
        <Quoted
          by={isHost ? 'What it would do' : `What it would do, according to plugin ${plugin} (not verified)`}
          text={summary}
        />
      )}
      {details === undefined || repeatsSignature(question, details) ? null : (
        <Quoted by={isHost ? 'Details' : `Details, according to plugin ${plugin}`} text={details} />
      )}
      {diff === undefined ? null : (
        <Quoted by={isHost ? 'What would change' : `What would change, according to plugin ${plugin}`}>
          <Diff text={diff} />
        </Quoted>
      )}
    </>
  );
}

export function QuestionArguments({ question }: { readonly question: Question }) {
  const view = (
    <Quoted by={`Arguments, from ${callerText(question).toLowerCase()}`}>
      <div>
        <JsonView value={question.args} openTo={3} />
      </div>
    </Quoted>
  );
  if (!argumentsRepeatSignature(question)) return view;
  return (
    <details>
      <summary class="soft">The same, as arguments</summary>
      {view}
    </details>
  );
}

export function TimeLeft({ until }: { readonly until: number }) {
  const left = until - useHost().now.value;
  return (
    <span class={`tag number push ${left < 10_000 ? 'bad' : ''}`}>
      {left <= 0 ? 'expired' : `${longDuration(left)} left`}
    </span>
  );
}
