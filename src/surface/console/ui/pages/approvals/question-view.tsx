// One question: what would be done, why it is asked, and the answers. Words of others stand in frames of their own.
import { useRef, useState } from 'preact/hooks';
import type { Approval, Question } from '../../api/types.ts';
import { revealed } from '../../../../../base/printable.ts';
import { prettyJson } from '../../lib/json-node.ts';
import { Icon } from '../../parts/icon.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Diff, Quoted } from '../../parts/quoted.tsx';
import { usePageKeys } from '../../state/page-keys.ts';
import { allowed, callerWords, denied, editedArguments, mayKeyAnswer } from './answer.ts';
import { TimeLeft } from './time-left.tsx';

export function QuestionView({
  question,
  onAnswer,
}: {
  readonly question: Question;
  readonly onAnswer: (approval: Approval) => Promise<boolean>;
}) {
  const [mode, setMode] = useState<'plain' | 'comment' | 'edit'>('plain');
  const [comment, setComment] = useState('');
  const [text, setText] = useState(() => prettyJson(question.args));
  const [isSending, setSending] = useState(false);
  const shownAt = useRef(Date.now()).current;
  const edited = mode === 'edit' ? editedArguments(text) : undefined;
  const problem = edited !== undefined && 'problem' in edited ? edited.problem : undefined;
  const args = edited !== undefined && 'args' in edited ? edited.args : undefined;

  const answer = async (approval: Approval) => {
    if (isSending) return;
    setSending(true);
    await onAnswer(approval);
    setSending(false);
  };
  usePageKeys((key) => {
    if (key === 'Escape') {
      setMode('plain');
      return mode !== 'plain';
    }
    if (!'atsdce'.includes(key)) return false;
    if (!mayKeyAnswer(shownAt, Date.now()) || mode !== 'plain') return true;
    if (key === 'a') void answer(allowed('once'));
    if (key === 't') void answer(allowed('turn'));
    if (key === 's') void answer(allowed('session'));
    if (key === 'd') void answer(denied(''));
    if (key === 'c') setMode('comment');
    if (key === 'e') setMode('edit');
    return true;
  });

  return (
    <article class="detail question" aria-labelledby="question-title">
      <div class="question-body stack">
        <header class="stack tight-stack">
          <div class="row">
            <h2 id="question-title">
              {callerWords(question)} wants to{' '}
              {question.kind === 'command' ? 'run a command of' : 'call a tool of'}{' '}
              <code>{revealed(question.plugin)}</code>
            </h2>
            <TimeLeft until={question.expiresAt} />
          </div>
          <p class="soft">It is asked because: {revealed(question.reason)}</p>
        </header>
        <div class="signature">
          <code>{revealed(question.signature)}</code>
        </div>
        {question.changedDefinition === undefined ? null : (
          <div class="callout warn">
            <h3>
              <Icon name="warning" /> This tool is not what was allowed before
            </h3>
            <p>Its definition has changed since. Look at the difference before you allow it again.</p>
            <Quoted by="How the definition has changed">
              <Diff text={question.changedDefinition} />
            </Quoted>
          </div>
        )}
        {question.intent === undefined ? null : (
          <Quoted
            by={`${callerWords(question)} says what it is for; nobody has checked that`}
            text={question.intent}
          />
        )}
        {question.summary === undefined ? null : (
          <Quoted
            by={`The plugin ${question.plugin} says; nobody has checked that`}
            text={question.summary}
          />
        )}
        {question.details === undefined ? null : (
          <Quoted by={`Details, in the words of ${question.plugin}`} text={question.details} />
        )}
        {question.diff === undefined ? null : (
          <Quoted by={`What would change, as ${question.plugin} tells it`}>
            <Diff text={question.diff} />
          </Quoted>
        )}
        {mode === 'edit' ? (
          <label class="stack tight-stack">
            <span class="field-name">Arguments to allow instead</span>
            <textarea
              class="mono"
              rows={8}
              autofocus
              spellcheck={false}
              aria-invalid={problem !== undefined}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
            {problem === undefined ? (
              <span class="soft small">
                They are checked and decided on anew. What stays masked keeps its real value.
              </span>
            ) : (
              <span class="bad-text small">{problem}</span>
            )}
          </label>
        ) : (
          <Quoted by={`Arguments, from ${callerWords(question).toLowerCase()}`}>
            <div>
              <JsonView value={question.args} openTo={3} />
            </div>
          </Quoted>
        )}
        {mode === 'comment' ? (
          <label class="stack tight-stack">
            <span class="field-name">Why not</span>
            <textarea
              rows={2}
              autofocus
              value={comment}
              placeholder="Whoever asked reads this"
              onInput={({ currentTarget }) => setComment(currentTarget.value)}
            />
          </label>
        ) : null}
      </div>
      <footer class="answers">
        {mode === 'comment' ? (
          <>
            <button
              type="button"
              class="button danger"
              disabled={isSending}
              onClick={() => void answer(denied(comment))}
            >
              Deny with this comment
            </button>
            <button type="button" class="button plain" onClick={() => setMode('plain')}>
              Back <kbd>Esc</kbd>
            </button>
          </>
        ) : mode === 'edit' ? (
          <>
            <button
              type="button"
              class="button primary"
              disabled={isSending || args === undefined}
              onClick={() => void answer(allowed('once', args))}
            >
              Allow once with these
            </button>
            <button type="button" class="button plain" onClick={() => setMode('plain')}>
              Back <kbd>Esc</kbd>
            </button>
          </>
        ) : (
          <>
            <div class="row">
              <Answer
                isPrimary
                keys="a"
                label="Allow once"
                isOff={isSending}
                onClick={() => void answer(allowed('once'))}
              />
              <Answer
                keys="t"
                label="This turn"
                isOff={isSending}
                onClick={() => void answer(allowed('turn'))}
              />
              <Answer
                keys="s"
                label="This session"
                isOff={isSending}
                onClick={() => void answer(allowed('session'))}
              />
              <Answer
                label="Everything"
                title="Whatever is asked in this session"
                isOff={isSending}
                onClick={() => void answer(allowed('all'))}
              />
            </div>
            <div class="row">
              <Answer keys="e" label="Edit" isOff={isSending} onClick={() => setMode('edit')} />
              <Answer
                keys="c"
                label="Deny, and say why"
                isOff={isSending}
                onClick={() => setMode('comment')}
              />
              <Answer
                isDanger
                keys="d"
                label="Deny"
                isOff={isSending}
                onClick={() => void answer(denied(''))}
              />
            </div>
            <p class="small faint remembers">
              For longer than once, an answer is about <code>{revealed(question.remembers)}</code>
            </p>
          </>
        )}
      </footer>
    </article>
  );
}

function Answer({
  label,
  keys,
  title,
  isPrimary = false,
  isDanger = false,
  isOff,
  onClick,
}: {
  readonly label: string;
  readonly keys?: string;
  readonly title?: string;
  readonly isPrimary?: boolean;
  readonly isDanger?: boolean;
  readonly isOff: boolean;
  readonly onClick: () => void;
}) {
  return (
    <button
      type="button"
      class={`button ${isPrimary ? 'primary' : ''} ${isDanger ? 'danger' : ''}`}
      disabled={isOff}
      title={title}
      onClick={onClick}
    >
      {label}
      {keys === undefined ? null : <kbd class="keyboard">{keys}</kbd>}
    </button>
  );
}
