// The log as rows; each is opened for all of it.
import { useState } from 'preact/hooks';
import type { Json } from '../../../../../base/json.ts';
import { dayAndTime, shortDuration } from '../../lib/format.ts';
import { visible } from '../../lib/visible.ts';
import { Icon } from '../../parts/icon.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { usePageKeys } from '../../state/page-keys.ts';
import type { ShownRow } from './rows.ts';

export function AuditTable({ rows }: { readonly rows: readonly ShownRow[] }) {
  const [open, setOpen] = useState<string>();
  usePageKeys((key, isTyping) => {
    if (key !== 'Escape' || isTyping || open === undefined) return false;
    setOpen(undefined);
    return true;
  });
  return (
    <div class="panel audit-table" role="table" aria-label="Audit" tabIndex={-1}>
      <div class="audit-row audit-head" role="row">
        {['When', 'What', 'Asked by', 'Decision', 'Result'].map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
      {rows.map((row) => (
        <Row
          key={row.key}
          row={row}
          isOpen={open === row.key}
          onToggle={() => setOpen(open === row.key ? undefined : row.key)}
        />
      ))}
    </div>
  );
}

function Row({
  row,
  isOpen,
  onToggle,
}: {
  readonly row: ShownRow;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  return (
    <>
      <div class={`audit-row ${isOpen ? 'is-chosen' : ''}`} role="row">
        <span class="audit-when number soft" role="cell">
          <span class="audit-year">{dayAndTime(row.at).slice(0, 5)}</span>
          {dayAndTime(row.at).slice(5)}
        </span>
        <span class="audit-what" role="cell">
          <button type="button" class="audit-open" data-row aria-expanded={isOpen} onClick={onToggle}>
            {visible(row.what)}
          </button>
          <span class="faint small">{row.plugin}</span>
        </span>
        <span class="audit-by" role="cell">
          {visible(row.caller)}
        </span>
        <span class="audit-verdict" role="cell">
          {row.verdict === 'noted' ? (
            <span class="tag">noted</span>
          ) : (
            <span class={`tag ${row.verdict === 'allowed' ? 'good' : 'bad'}`}>
              <Icon name={row.verdict === 'allowed' ? 'check' : 'close'} /> {row.verdict}
            </span>
          )}
          <span class="faint small">{row.how}</span>
        </span>
        <span class={`audit-result number ${row.result?.ok === false ? 'bad-text' : 'soft'}`} role="cell">
          {row.result === undefined ? null : (
            <>
              {row.result.words} <span class="audit-took">· {shortDuration(row.result.durationMs)}</span>
            </>
          )}
        </span>
      </div>
      {isOpen ? (
        <div class="audit-detail stack">
          {row.reason === '' ? null : <p class="soft">{visible(row.reason)}</p>}
          {/* It came as JSON. */}
          <JsonView value={row.record as unknown as Json} openTo={3} />
        </div>
      ) : null}
    </>
  );
}
