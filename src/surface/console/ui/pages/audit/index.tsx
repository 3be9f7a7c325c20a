// Audit: every call with its caller, the decision, the result, and whether the log is intact.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Json } from '../../../../../base/json.ts';
import { messageOf } from '../../api/client.ts';
import type { AuditPage } from '../../api/types.ts';
import { dayAndTime, shortDuration } from '../../lib/format.ts';
import { visible } from '../../lib/text.ts';
import { Button } from '../../parts/buttons.tsx';
import { Icon } from '../../parts/icon.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Empty, SearchField, Select } from '../../parts/layout.tsx';
import { useHost } from '../../state/host.ts';
import { throttled } from '../../state/pace.ts';
import { usePageKeys } from '../../state/page-keys.ts';
import { type Page, PageFrame } from '../page.tsx';
import { type AuditFilters, auditPath, type AuditRow, auditRows, chainStatus, matchingRows } from './rows.ts';
import './audit.css';

export const audit: Page = { path: 'audit', title: 'Audit', icon: 'audit', key: 'l', View: Audit };

const DAY_MS = 86_400_000;

function Audit() {
  const [filters, setFilters] = useState<AuditFilters>({
    tool: '',
    plugin: '',
    deniedOnly: false,
    withinMs: 0,
  });
  const reading = useAudit(filters);
  const { answer, problem } = reading;
  const all = answer === undefined ? [] : auditRows(answer.records);
  const rows = matchingRows(all, filters.tool);
  return (
    <PageFrame title="Audit" controls={<Chain reading={reading} />} isFixed>
      <div class="audit">
        <Filters filters={filters} onChange={(changes) => setFilters({ ...filters, ...changes })} />
        {problem === undefined ? null : <div class="callout bad">{problem}</div>}
        {rows.length > 0 ? (
          <AuditTable rows={rows} />
        ) : answer === undefined ? (
          <p class="faint">{problem === undefined ? 'Loading …' : ''}</p>
        ) : (
          <Empty icon="audit" title="No matching entries">
            <p>
              Every call is logged here: who made it, what was decided and by which rule, and how it ended.
            </p>
          </Empty>
        )}
        {all.length >= AUDIT_LIMIT / 2 ? (
          <p class="faint small">
            Only the newest entries are shown; <code>pluglot audit</code> lists all of them.
          </p>
        ) : null}
      </div>
    </PageFrame>
  );
}

interface FiltersProps {
  readonly filters: AuditFilters;
  readonly onChange: (changes: Partial<AuditFilters>) => void;
}

function Filters({ filters, onChange }: FiltersProps) {
  const { plugins } = useHost();
  return (
    <div class="audit-filters">
      <SearchField value={filters.tool} onChange={(tool) => onChange({ tool })} label="Tool or command" />
      <Select
        label="Plugin"
        value={filters.plugin}
        options={[['', 'All plugins'], ...plugins.value.map(({ name }) => [name, name] as const)]}
        onChange={(plugin) => onChange({ plugin })}
      />
      <Select
        label="When"
        value={filters.withinMs}
        options={[
          [0, 'Any time'],
          [DAY_MS / 24, 'Last hour'],
          [DAY_MS, 'Last day'],
          [7 * DAY_MS, 'Last week'],
        ]}
        onChange={(withinMs) => onChange({ withinMs: Number(withinMs) })}
      />
      <label class="row nowrap">
        <input
          type="checkbox"
          checked={filters.deniedOnly}
          onChange={({ currentTarget }) => onChange({ deniedOnly: currentTarget.checked })}
        />
        Denied only
      </label>
    </div>
  );
}

function Chain({ reading }: { readonly reading: AuditReading }) {
  const { state, text } = chainStatus(reading.verdict);
  return (
    <>
      <span
        class={`tag chain ${state === 'intact' ? 'good' : state === 'broken' ? 'bad' : ''}`}
        role="status"
      >
        <Icon name={state === 'intact' ? 'check' : state === 'broken' ? 'warning' : 'help'} /> {text}
      </span>
      <Button icon="restart" title="Verify the whole log again" onClick={() => reading.verify()}>
        Verify
      </Button>
    </>
  );
}

function AuditTable({ rows }: { readonly rows: readonly AuditRow[] }) {
  const [open, setOpen] = useState<string>();
  usePageKeys((key, isTyping) => {
    if (key !== 'Escape' || isTyping || open === undefined) return false;
    setOpen(undefined);
    return true;
  });
  return (
    <div class="panel audit-table" role="table" aria-label="Audit" tabIndex={-1}>
      <div class="audit-row audit-head" role="row">
        {['When', 'What', 'Caller', 'Decision', 'Result'].map((name) => (
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

interface RowProps {
  readonly row: AuditRow;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Row({ row, isOpen, onToggle }: RowProps) {
  return (
    <>
      <div class={`audit-row ${isOpen ? 'is-chosen' : ''}`} role="row">
        <span class="audit-when number soft" role="cell">
          <span class="audit-year">{dayAndTime(row.at).slice(0, 5)}</span>
          {dayAndTime(row.at).slice(5)}
        </span>
        <span class="audit-what" role="cell">
          <button
            type="button"
            class="audit-open stretched"
            data-row
            aria-expanded={isOpen}
            onClick={onToggle}
          >
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
              {row.result.text} <span class="audit-took">· {shortDuration(row.result.durationMs)}</span>
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

interface AuditReading {
  readonly answer: AuditPage | undefined;
  readonly verdict: AuditPage['verified'];
  readonly problem: string | undefined;
  verify(): void;
}

const AUDIT_LIMIT = 400;
/** Between two reads. */
const PAUSE_MS = 400;

function useAudit(filters: AuditFilters): AuditReading {
  const host = useHost();
  const [answer, setAnswer] = useState<AuditPage>();
  const [verdict, setVerdict] = useState<AuditPage['verified']>();
  const [problem, setProblem] = useState<string>();
  const [requests, setRequests] = useState(0);
  // Verification reads the whole log: once, and on request.
  const isVerifying = useRef(true);
  const isOpen = host.connection.value === 'open';
  const names = new Set(host.tools.value.map(({ name }) => name));
  // Only a whole name is sent to the host; parts of names are matched here.
  const path = auditPath(filters, 0, { limit: AUDIT_LIMIT, isVerified: false, names });
  useEffect(() => {
    const stop = new AbortController();
    const reads = throttled(async () => {
      const isVerified = isVerifying.current;
      try {
        const address = auditPath(filters, Date.now(), { limit: AUDIT_LIMIT, isVerified, names });
        const next = await host.api.get(address, stop.signal);
        if (stop.signal.aborted) return;
        setAnswer(next);
        if (next.verified !== undefined) {
          isVerifying.current = false;
          setVerdict(next.verified);
        }
        setProblem(undefined);
      } catch (error) {
        if (!stop.signal.aborted) setProblem(messageOf(error));
      }
    }, PAUSE_MS);
    reads.request(answer === undefined ? 0 : PAUSE_MS);
    const unsubscribe = host.audited.subscribe(() => reads.request());
    return () => {
      unsubscribe();
      reads.stop();
      stop.abort();
    };
  }, [host, path, requests, isOpen]);
  const verify = () => {
    isVerifying.current = true;
    setVerdict(undefined);
    setRequests((before) => before + 1);
  };
  return { answer, verdict, problem, verify };
}
