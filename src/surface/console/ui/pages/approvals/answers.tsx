// The answers to a question.
import type { ComponentChildren } from 'preact';
import { revealed } from '../../../../../base/printable.ts';
import { Icon } from '../../parts/icon.tsx';
import type { Question } from '../../api/types.ts';
import { ruleOf, type AllowScope, type Covers } from './answer.ts';

export function Answers({
  question,
  covers,
  isOff,
  onCovers,
  onAllow,
  onDeny,
  onMode,
}: {
  readonly question: Question;
  /** What an answer for longer than once is about. */
  readonly covers: Covers;
  readonly isOff: boolean;
  readonly onCovers: (covers: Covers) => void;
  readonly onAllow: (scope: AllowScope) => void;
  readonly onDeny: () => void;
  readonly onMode: (mode: 'edit' | 'comment' | 'all') => void;
}) {
  const button = { isOff };
  const { remembers, remembersTool, always } = question;
  const about = covers === 'tool' ? (remembersTool ?? remembers) : remembers;
  const rule = ruleOf(question, covers);
  return (
    <>
      <div class="row">
        <Answer {...button} isPrimary keys="a" label="Allow once" onClick={() => onAllow('once')} />
        <Answer {...button} keys="t" label="This turn" onClick={() => onAllow('turn')} />
        <Answer {...button} keys="s" label="This session" onClick={() => onAllow('session')} />
        {rule === undefined ? null : (
          <Answer {...button} keys="w" label="Always" onClick={() => onAllow('always')} />
        )}
      </div>
      <div class="row">
        <Answer {...button} keys="e" label="Edit" onClick={() => onMode('edit')} />
        <Answer {...button} keys="c" label="Deny, and say why" onClick={() => onMode('comment')} />
        <Answer {...button} isDanger keys="d" label="Deny" onClick={onDeny} />
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
        This turn and this session are about: <code>{revealed(about)}</code>.{' '}
        {always === undefined || rule === undefined ? null : (
          <>
            Always is for every caller: it writes the rule <code>{revealed(rule)}</code> into{' '}
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

/** Two answers at the end of something that was typed or read. */
export function Confirmation({
  label,
  isDanger = false,
  isOff,
  onConfirm,
  onBack,
  children,
}: {
  readonly label: string;
  readonly isDanger?: boolean;
  readonly isOff: boolean;
  readonly onConfirm: () => void;
  readonly onBack: () => void;
  readonly children?: ComponentChildren;
}) {
  return (
    <>
      {children}
      <div class="row">
        <button
          type="button"
          class={`button ${isDanger ? 'danger' : 'primary'}`}
          disabled={isOff}
          onClick={onConfirm}
        >
          {label}
        </button>
        <button type="button" class="button plain" onClick={onBack}>
          Back <kbd class="keyboard">Esc</kbd>
        </button>
      </div>
    </>
  );
}

/** It opens more than any other answer: what that is stands here, and is asked for once more. */
export function EverythingWarning({ caller }: { readonly caller: string }) {
  return (
    <div class="callout warn everything" role="alert">
      <h3>
        <Icon name="warning" /> No questions about this caller any more
      </h3>
      <p>
        Every call of every tool by {caller} is allowed from now on, until the host is stopped or{' '}
        <code>pluglot run permissions clear</code> takes it back. Only what the rules deny stays denied.
      </p>
    </div>
  );
}

function Answer({
  label,
  keys,
  isPrimary = false,
  isDanger = false,
  isOff,
  onClick,
}: {
  readonly label: string;
  readonly keys: string;
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
      onClick={onClick}
    >
      {label}
      <kbd class="keyboard">{keys}</kbd>
    </button>
  );
}
