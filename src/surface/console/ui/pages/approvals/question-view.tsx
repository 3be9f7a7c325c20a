// One question, and the buttons and fields for its answer.
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { revealed } from '../../../../../base/printable.ts';
import type { Approval, Question } from '../../api/types.ts';
import { parsedArguments, prettyJson } from '../../lib/json.ts';
import { Button } from '../../parts/buttons.tsx';
import { Callout, FocusedText } from '../../parts/layout.tsx';
import { usePageKeys } from '../../state/page-keys.ts';
import { acceptsKeys, allowed, type AllowScope, callerText, type Covers, denied, ruleOf } from './answer.ts';
import { QuestionArguments, QuestionBody } from './question-body.tsx';

type Mode = 'plain' | 'comment' | 'edit' | 'all';

export function QuestionView({
  question,
  onAnswer,
}: {
  readonly question: Question;
  readonly onAnswer: (approval: Approval) => Promise<boolean>;
}) {
  const [mode, setMode] = useState<Mode>('plain');
  const [covers, setCovers] = useState<Covers>('call');
  const [comment, setComment] = useState('');
  const [text, setText] = useState(() => prettyJson(question.args));
  const [isSending, setSending] = useState(false);
  const shownAt = useRef(Date.now()).current;
  const { args, problem } = mode === 'edit' ? parsedArguments(text) : {};

  const answer = async (approval: Approval) => {
    if (isSending) return;
    setSending(true);
    await onAnswer(approval);
    setSending(false);
  };
  const back = () => setMode('plain');
  usePageKeys((key, isTyping) => {
    if (key === 'Escape') {
      back();
      return mode !== 'plain';
    }
    if (isTyping || !'ytswnce'.includes(key)) return false;
    if (!acceptsKeys(shownAt, Date.now()) || mode !== 'plain') return true;
    if (key === 'y') void answer(allowed('once'));
    if (key === 't') void answer(allowed('turn', { covers }));
    if (key === 's') void answer(allowed('session', { covers }));
    if (key === 'w' && ruleOf(question, covers) !== undefined) void answer(allowed('always', { covers }));
    if (key === 'n') void answer(denied(''));
    if (key === 'c') setMode('comment');
    if (key === 'e') setMode('edit');
    return true;
  });

  return (
    <article class="detail question" aria-labelledby="question-title">
      <div class="question-body stack">
        <QuestionBody question={question} />
        {mode === 'edit' ? (
          <label class="stack tight-stack">
            <span class="field-name">Arguments to allow instead</span>
            <FocusedText value={text} isInvalid={problem !== undefined} rows={8} isCode onChange={setText} />
            {problem === undefined ? (
              <span class="soft small">
                They are validated and checked against the rules again. Masked values keep their real value.
              </span>
            ) : (
              <span class="bad-text small">{problem}</span>
            )}
          </label>
        ) : (
          <QuestionArguments question={question} />
        )}
        {mode === 'comment' ? (
          <label class="stack tight-stack">
            <span class="field-name">Reason</span>
            <FocusedText value={comment} rows={2} placeholder="Sent to the caller" onChange={setComment} />
          </label>
        ) : null}
      </div>
      <footer class="answers">
        {mode === 'comment' ? (
          <Confirmation
            label="Deny with this reason"
            isDanger
            isOff={isSending}
            onConfirm={() => void answer(denied(comment))}
            onBack={back}
          />
        ) : mode === 'edit' ? (
          <Confirmation
            label="Allow once with these arguments"
            isOff={isSending || args === undefined}
            onConfirm={() => void answer(allowed('once', args && { args }))}
            onBack={back}
          />
        ) : mode === 'all' ? (
          <Confirmation
            label="Yes, allow everything"
            isDanger
            isOff={isSending}
            onConfirm={() => void answer(allowed('all'))}
            onBack={back}
          >
            <EverythingWarning caller={callerText(question).toLowerCase()} />
          </Confirmation>
        ) : (
          <Answers
            question={question}
            covers={covers}
            isOff={isSending}
            onCovers={setCovers}
            onAllow={(scope) => void answer(allowed(scope, scope === 'once' ? {} : { covers }))}
            onDeny={() => void answer(denied(''))}
            onMode={setMode}
          />
        )}
      </footer>
    </article>
  );
}

interface AnswersProps {
  readonly question: Question;
  /** What an answer for longer than once applies to. */
  readonly covers: Covers;
  readonly isOff: boolean;
  readonly onCovers: (covers: Covers) => void;
  readonly onAllow: (scope: AllowScope) => void;
  readonly onDeny: () => void;
  readonly onMode: (mode: 'edit' | 'comment' | 'all') => void;
}

function Answers({ question, covers, isOff, onCovers, onAllow, onDeny, onMode }: AnswersProps) {
  const { remembers, remembersTool, always } = question;
  const scope = covers === 'tool' ? (remembersTool ?? remembers) : remembers;
  const rule = ruleOf(question, covers);
  const answer = (keys: string, label: string, onClick: () => void, look?: 'primary' | 'danger') => (
    <Button look={look} disabled={isOff} onClick={onClick}>
      {label}
      <kbd class="keyboard">{keys}</kbd>
    </Button>
  );
  return (
    <>
      <div class="row">
        {answer('y', 'Allow once', () => onAllow('once'), 'primary')}
        {answer('t', 'This turn', () => onAllow('turn'))}
        {answer('s', 'This session', () => onAllow('session'))}
        {rule === undefined ? null : answer('w', 'Always', () => onAllow('always'))}
      </div>
      <div class="row">
        {answer('e', 'Edit', () => onMode('edit'))}
        {answer('c', 'Deny with a reason', () => onMode('comment'))}
        {answer('n', 'Deny', onDeny, 'danger')}
      </div>
      {remembersTool === undefined ? null : (
        <label class="small">
          <input
            type="checkbox"
            checked={covers === 'tool'}
            disabled={isOff}
            onChange={({ currentTarget }) => onCovers(currentTarget.checked ? 'tool' : 'call')}
          />{' '}
          With any arguments
        </label>
      )}
      <p class="small faint remembers">
        This turn and this session apply to: <code>{revealed(scope)}</code>.{' '}
        {always === undefined || rule === undefined ? null : (
          <>
            Always applies to every caller: it writes the rule <code>{revealed(rule)}</code> to{' '}
            <code>{revealed(always.file)}</code>.{' '}
          </>
        )}
        <button type="button" class="link-button" disabled={isOff} onClick={() => onMode('all')}>
          Allow everything …
        </button>
      </p>
    </>
  );
}

interface ConfirmationProps {
  readonly label: string;
  readonly isDanger?: boolean;
  readonly isOff: boolean;
  readonly onConfirm: () => void;
  readonly onBack: () => void;
  readonly children?: ComponentChildren;
}

function Confirmation({ label, isDanger = false, isOff, onConfirm, onBack, children }: ConfirmationProps) {
  return (
    <>
      {children}
      <div class="row">
        <Button look={isDanger ? 'danger' : 'primary'} disabled={isOff} onClick={onConfirm}>
          {label}
        </Button>
        <Button look="plain" onClick={onBack}>
          Back <kbd class="keyboard">Esc</kbd>
        </Button>
      </div>
    </>
  );
}

/** The widest answer: it says what it means, and has to be confirmed. */
function EverythingWarning({ caller }: { readonly caller: string }) {
  return (
    <Callout tone="warn" title="No more questions about this caller" isAlert>
      <p>
        Every call of every tool by {caller} is allowed until the host stops or you run{' '}
        <code>pluglot run permissions clear</code>. Deny rules still apply.
      </p>
    </Callout>
  );
}
