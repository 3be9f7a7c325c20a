// Approvals: calls that wait for the user's decision.
import { useRef, useState } from 'preact/hooks';
import { revealed } from '../../../../../base/printable.ts';
import { type Page, PageFrame } from '../page.tsx';
import { segment } from '../../api/client.ts';
import type { Approval, Question } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';
import { Empty } from '../../parts/layout.tsx';
import { useHost } from '../../state/host.ts';
import { usePageKeys } from '../../state/page-keys.ts';
import { chosenQuestion, ruleOf } from './answer.ts';
import { QuestionView } from './question-view.tsx';
import { TimeLeft } from './question-body.tsx';
import './approvals.css';

export const approvals: Page = {
  path: 'approvals',
  title: 'Approvals',
  icon: 'approvals',
  key: 'a',
  View: Approvals,
  badge: (host) => host.questions.value.length,
  keys: [
    ['y', 'Allow once'],
    ['t', 'Allow for this turn'],
    ['s', 'Allow for the session'],
    ['w', 'Always allow: write a rule'],
    ['n', 'Deny'],
    ['c', 'Deny with a reason'],
    ['e', 'Edit the arguments'],
  ],
};

function Approvals() {
  const host = useHost();
  const questions = host.questions.value;
  const [wanted, setWanted] = useState<string>();
  const place = useRef(0);
  const chosen = chosenQuestion(questions, wanted, place.current);
  const index = chosen === undefined ? 0 : questions.indexOf(chosen);
  place.current = index;
  usePageKeys((key) => {
    if ((key !== 'j' && key !== 'k') || questions.length === 0) return false;
    const next = questions[Math.min(Math.max(index + (key === 'j' ? 1 : -1), 0), questions.length - 1)];
    setWanted(next?.id);
    return true;
  });
  const answer = async (question: Question, approval: Approval) => {
    const rule = approval.scope === 'always' ? ruleOf(question, approval.covers ?? 'call') : undefined;
    const done =
      rule !== undefined
        ? `Wrote the rule ${approval.kind} ${revealed(rule)} to ${revealed(question.always?.file ?? '')}`
        : `${approval.kind === 'allow' ? 'Allowed' : 'Denied'} ${question.tool}`;
    const isDone = await host.attempt(
      () => host.api.send('POST', `/approvals/${segment(question.id)}`, approval),
      done,
    );
    await host.refreshQuestions().catch(() => {});
    return isDone;
  };
  return (
    <PageFrame
      title="Approvals"
      sub={questions.length === 0 ? undefined : `${counted(questions.length, 'question')} waiting`}
      isFixed
    >
      {chosen === undefined ? (
        <Empty icon="approvals" title="No pending approvals">
          <p>
            When a model, a job or a connected program makes a call that no rule decides, the question appears
            here.
          </p>
        </Empty>
      ) : (
        <div class="split approvals chosen-always">
          <ul class="list question-list" aria-label="Pending questions">
            {questions.map((question) => (
              <li key={question.id}>
                <button
                  type="button"
                  class="question-link"
                  aria-current={question === chosen ? 'true' : undefined}
                  onClick={() => setWanted(question.id)}
                >
                  <strong class="mono">{revealed(question.tool)}</strong>
                  <span class="question-of">
                    <span>{revealed(question.plugin)}</span>
                    <TimeLeft until={question.expiresAt} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
          <QuestionView key={chosen.id} question={chosen} onAnswer={(approval) => answer(chosen, approval)} />
        </div>
      )}
    </PageFrame>
  );
}
