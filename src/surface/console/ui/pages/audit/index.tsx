// Audit: what was asked for, how it was decided, what came of it, and whether the log is whole.
import { useEffect, useState } from 'preact/hooks';
import type { Json } from '../../../../../base/json.ts';
import type { Page } from '../page.ts';
import { wordsOf } from '../../api/client.ts';
import type { AuditPage } from '../../api/types.ts';
import { dayAndTime, shortDuration } from '../../lib/format.ts';
import { visible } from '../../lib/visible.ts';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { useHost } from '../../state/host-context.ts';
import { auditPath, chainWord, shownRows, type AuditFilters, type ShownRow } from './rows.ts';
import './audit.css';

export const audit: Page = { path: 'audit', title: 'Audit', icon: 'audit', key: 'l', View: Audit };

const LIMIT = 400;
const DAY_MS = 86_400_000;
/** Many calls in a row are read once. */
const PATIENCE_MS = 400;

function Audit() {
  const host = useHost();
  const [filters, setFilters] = useState<AuditFilters>({
    tool: '',
    plugin: '',
    deniedOnly: false,
    withinMs: 0,
  });
  const [answer, setAnswer] = useState<AuditPage>();
  const [verdict, setVerdict] = useState<AuditPage['verified']>();
  const [problem, setProblem] = useState<string>();
  const [open, setOpen] = useState<number>();
  const audited = host.audited.value;
  const isOpen = host.connection.value === 'open';
  useEffect(() => {
    const stop = new AbortController();
    // Verifying reads all of the log: once, and when somebody asks for it.
    const isVerified = verdict === undefined;
    const read = async () => {
      try {
        const path = auditPath(filters, Date.now(), { limit: LIMIT, isVerified });
        const next = await host.api.get<AuditPage>(path, stop.signal);
        setAnswer(next);
        if (next.verified !== undefined) setVerdict(next.verified);
        setProblem(undefined);
      } catch (error) {
        if (!stop.signal.aborted) setProblem(wordsOf(error));
      }
    };
    const timer = setTimeout(() => void read(), answer === undefined ? 0 : PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [host, filters, audited, isOpen, verdict === undefined]);
  const rows = answer === undefined ? [] : shownRows(answer.records);
  const change = (changes: Partial<AuditFilters>) => setFilters({ ...filters, ...changes });
  return (
    <PageFrame title="Audit" controls={<Chain verdict={verdict} onVerify={() => setVerdict(undefined)} />}>
      <div class="stack">
        <div class="audit-filters">
          <SearchField
            value={filters.tool}
            onChange={(tool) => change({ tool })}
            label="Tool or command, by its name"
          />
          <select
            aria-label="Plugin"
            value={filters.plugin}
            onChange={({ currentTarget }) => change({ plugin: currentTarget.value })}
          >
            <option value="">All plugins</option>
            {host.plugins.value.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          <select
            aria-label="When"
            value={filters.withinMs}
            onChange={({ currentTarget }) => change({ withinMs: Number(currentTarget.value) })}
          >
            <option value={0}>Any time</option>
            <option value={DAY_MS / 24}>Last hour</option>
            <option value={DAY_MS}>Last day</option>
            <option value={7 * DAY_MS}>Last week</option>
          </select>
          <label class="row">
            <input
              type="checkbox"
              checked={filters.deniedOnly}
              onChange={({ currentTarget }) => change({ deniedOnly: currentTarget.checked })}
            />
            Denied only
          </label>
        </div>
        {problem === undefined ? null : <div class="callout bad">{problem}</div>}
        {rows.length === 0 && answer !== undefined ? (
          <Empty icon="audit" title="Nothing written that fits">
            <p>
              Every call leaves a line here: who asked, what was decided and by which rule, and how it ended.
            </p>
          </Empty>
        ) : null}
        {rows.length === 0 ? null : (
          <div class="panel audit-table" role="table" aria-label="Audit">
            <div class="audit-row audit-head" role="row">
              {['When', 'What', 'Asked by', 'Decision', 'Result'].map((name) => (
                <span key={name} role="columnheader">
                  {name}
                </span>
              ))}
            </div>
            {rows.map((row) => (
              <Row
                key={row.seq}
                row={row}
                isOpen={open === row.seq}
                onToggle={() => setOpen(open === row.seq ? undefined : row.seq)}
              />
            ))}
          </div>
        )}
        {rows.length >= LIMIT / 2 ? (
          <p class="faint">The newest are shown; `pluglot audit` reads all of them.</p>
        ) : null}
      </div>
    </PageFrame>
  );
}

function Chain({
  verdict,
  onVerify,
}: {
  readonly verdict: AuditPage['verified'];
  readonly onVerify: () => void;
}) {
  const { state, words } = chainWord(verdict);
  return (
    <>
      <span class={`tag chain ${state === 'whole' ? 'good' : state === 'broken' ? 'bad' : ''}`} role="status">
        <Icon name={state === 'whole' ? 'check' : state === 'broken' ? 'warning' : 'help'} /> {words}
      </span>
      <button type="button" class="button" onClick={onVerify}>
        <Icon name="restart" /> Verify
      </button>
    </>
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
        <span class="number soft" role="cell">
          {dayAndTime(row.at)}
        </span>
        <span class="audit-what" role="cell">
          <button type="button" class="audit-open" data-row aria-expanded={isOpen} onClick={onToggle}>
            {visible(row.what)}
          </button>
          <span class="faint small">{row.plugin}</span>
        </span>
        <span role="cell">{row.caller}</span>
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
        <span class={`number ${row.result?.ok === false ? 'bad-text' : 'soft'}`} role="cell">
          {row.result === undefined ? '' : `${row.result.words} · ${shortDuration(row.result.durationMs)}`}
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
