// One question, and how it is answered.
import { useRef, useState } from 'preact/hooks';
import type { Approval, Question } from '../../api/types.ts';
import { prettyJson } from '../../lib/json-node.ts';
import { FocusedText } from '../../parts/focused-text.tsx';
import { usePageKeys } from '../../state/page-keys.ts';
import {
  allowed,
  callerWords,
  denied,
  editedArguments,
  mayKeyAnswer,
  ruleOf,
  type Covers,
} from './answer.ts';
import { Answers, Confirmation, EverythingWarning } from './answers.tsx';
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
  const edited = mode === 'edit' ? editedArguments(text) : undefined;
  const problem = edited !== undefined && 'problem' in edited ? edited.problem : undefined;
  const args = edited !== undefined && 'args' in edited ? edited.args : undefined;

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
    if (isTyping || !'atswdce'.includes(key)) return false;
    if (!mayKeyAnswer(shownAt, Date.now()) || mode !== 'plain') return true;
    if (key === 'a') void answer(allowed('once'));
    if (key === 't') void answer(allowed('turn', { covers }));
    if (key === 's') void answer(allowed('session', { covers }));
    if (key === 'w' && ruleOf(question, covers) !== undefined) void answer(allowed('always', { covers }));
    if (key === 'd') void answer(denied(''));
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
            <FocusedText value={text} isWrong={problem !== undefined} rows={8} isCode onChange={setText} />
            {problem === undefined ? (
              <span class="soft small">
                They are checked and decided on anew. What stays masked keeps its real value.
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
            <span class="field-name">Why not</span>
            <FocusedText
              value={comment}
              rows={2}
              placeholder="Whoever asked reads this"
              onChange={setComment}
            />
          </label>
        ) : null}
      </div>
      <footer class="answers">
        {mode === 'comment' ? (
          <Confirmation
            label="Deny with this comment"
            isDanger
            isOff={isSending}
            onConfirm={() => void answer(denied(comment))}
            onBack={back}
          />
        ) : mode === 'edit' ? (
          <Confirmation
            label="Allow once with these"
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
            <EverythingWarning caller={callerWords(question).toLowerCase()} />
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
