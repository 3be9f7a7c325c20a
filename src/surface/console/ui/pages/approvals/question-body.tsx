// What would be done, and why it is asked. Words of others stand in frames of their own.
import type { Question } from '../../api/types.ts';
import { revealed } from '../../../../../base/printable.ts';
import { Icon } from '../../parts/icon.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Diff, Quoted } from '../../parts/quoted.tsx';
import { callerWords } from './answer.ts';
import { areArgumentsRepeated, isRepeated } from './repeats.ts';
import { TimeLeft } from './time-left.tsx';

const wants: Readonly<Record<Question['kind'], string>> = {
  tool: 'call a tool of',
  command: 'run a command of',
  resource: 'read a resource of',
  prompt: 'get a prompt of',
};

export function QuestionBody({ question }: { readonly question: Question }) {
  const { summary, details, intent, diff, changedDefinition, plugin } = question;
  return (
    <>
      <header class="stack tight-stack">
        <div class="question-head">
          <h2 id="question-title">
            {callerWords(question)} wants to {wants[question.kind]} <code>{revealed(plugin)}</code>
          </h2>
          <TimeLeft until={question.expiresAt} />
        </div>
        <p class="soft">Why it is asked: {revealed(question.reason)}</p>
      </header>
      <div class="signature">
        <code>{revealed(question.signature)}</code>
      </div>
      {changedDefinition === undefined ? null : (
        <div class="callout warn">
          <h3>
            <Icon name="warning" /> This tool is not what was approved before
          </h3>
          <p>Its definition has changed since, or it is new. Look at the difference before you allow it.</p>
          <Quoted by="How the definition differs">
            <Diff text={changedDefinition} />
          </Quoted>
        </div>
      )}
      {intent === undefined ? null : (
        <Quoted by={`${callerWords(question)} says what it is for; nobody has checked that`} text={intent} />
      )}
      {summary === undefined || isRepeated(question, summary) ? null : (
        <Quoted by={`The plugin ${plugin} says; nobody has checked that`} text={summary} />
      )}
      {details === undefined || isRepeated(question, details) ? null : (
        <Quoted by={`Details, in the words of ${plugin}`} text={details} />
      )}
      {diff === undefined ? null : (
        <Quoted by={`What would change, as ${plugin} tells it`}>
          <Diff text={diff} />
        </Quoted>
      )}
    </>
  );
}

export function QuestionArguments({ question }: { readonly question: Question }) {
  const shown = (
    <Quoted by={`Arguments, from ${callerWords(question).toLowerCase()}`}>
      <div>
        <JsonView value={question.args} openTo={3} />
      </div>
    </Quoted>
  );
  if (!areArgumentsRepeated(question)) return shown;
  return (
    <details>
      <summary class="soft">The same, as arguments</summary>
      {shown}
    </details>
  );
}
