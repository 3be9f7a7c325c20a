// Audit: what was asked for, how it was decided, what came of it, and whether the log is whole.
import { useState } from 'preact/hooks';
import type { Page } from '../page.ts';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { useHost } from '../../state/host-context.ts';
import { AuditTable } from './audit-table.tsx';
import { chainWord, fittingRows, shownRows, type AuditFilters } from './rows.ts';
import { AUDIT_LIMIT, useAudit, type AuditRead } from './use-audit.ts';
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
  const read = useAudit(filters);
  const { answer, problem } = read;
  const all = answer === undefined ? [] : shownRows(answer.records);
  const rows = fittingRows(all, filters.tool);
  return (
    <PageFrame title="Audit" controls={<Chain read={read} />} isFixed>
      <div class="audit">
        <Filters filters={filters} onChange={(changes) => setFilters({ ...filters, ...changes })} />
        {problem === undefined ? null : <div class="callout bad">{problem}</div>}
        {rows.length > 0 ? (
          <AuditTable rows={rows} />
        ) : answer === undefined ? (
          <p class="faint">{problem === undefined ? 'Reading …' : ''}</p>
        ) : (
          <Empty icon="audit" title="Nothing written that fits">
            <p>
              Every call leaves a line here: who asked, what was decided and by which rule, and how it ended.
            </p>
          </Empty>
        )}
        {all.length >= AUDIT_LIMIT / 2 ? (
          <p class="faint small">
            The newest are shown; <code>pluglot audit</code> reads all of them.
          </p>
        ) : null}
      </div>
    </PageFrame>
  );
}

function Filters({
  filters,
  onChange,
}: {
  readonly filters: AuditFilters;
  readonly onChange: (changes: Partial<AuditFilters>) => void;
}) {
  const host = useHost();
  return (
    <div class="audit-filters">
      <SearchField value={filters.tool} onChange={(tool) => onChange({ tool })} label="Tool or command" />
      <select
        aria-label="Plugin"
        value={filters.plugin}
        onChange={({ currentTarget }) => onChange({ plugin: currentTarget.value })}
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
        onChange={({ currentTarget }) => onChange({ withinMs: Number(currentTarget.value) })}
      >
        <option value={0}>Any time</option>
        <option value={DAY_MS / 24}>Last hour</option>
        <option value={DAY_MS}>Last day</option>
        <option value={7 * DAY_MS}>Last week</option>
      </select>
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

function Chain({ read }: { readonly read: AuditRead }) {
  const { state, words } = chainWord(read.verdict);
  return (
    <>
      <span class={`tag chain ${state === 'whole' ? 'good' : state === 'broken' ? 'bad' : ''}`} role="status">
        <Icon name={state === 'whole' ? 'check' : state === 'broken' ? 'warning' : 'help'} /> {words}
      </span>
      <button
        type="button"
        class="button"
        title="Read all of the log once more"
        onClick={() => read.verify()}
      >
        <Icon name="restart" /> Verify
      </button>
    </>
  );
}
