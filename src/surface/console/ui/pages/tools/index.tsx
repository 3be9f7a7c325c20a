// Tools: find one, fill in its arguments, call it.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ToolView } from '../../api/types.ts';
import { counted, grouped } from '../../lib/format.ts';
import { matching, visible } from '../../lib/text.ts';
import { Empty, SearchField } from '../../parts/layout.tsx';
import { linkTo } from '../../state/address.ts';
import { useHost, usePageState, type Host } from '../../state/host.ts';
import { backTo, usePageKeys } from '../../state/page-keys.ts';
import { PageFrame, type Page } from '../page.tsx';
import { ownFirst, ToolDrafts } from './drafts.ts';
import { ToolDetail } from './tool-detail.tsx';
import './tools.css';

export const tools: Page = {
  path: 'tools',
  title: 'Tools',
  icon: 'tools',
  key: 't',
  View: Tools,
  keys: [['Ctrl Enter', 'Call, from anywhere in the form']],
};

/** More are found with the search. */
const SHOWN = 300;

function Tools() {
  const host = useHost();
  const drafts = usePageState('tools', () => new ToolDrafts());
  const [query, setQuery] = useState('');
  const [chosen] = host.route.value.rest;
  const all = ownFirst(host.tools.value, host.plugins.value);
  const found = matching(all, query, ({ name, plugin, tool }) => ({
    name,
    description: `${plugin} ${tool.title ?? ''} ${tool.description ?? ''}`,
  }));
  const tool =
    all.find(({ name }) => name === chosen) ?? formerTool(host, chosen) ?? unlistedTool(all, chosen);
  usePageKeys((key) =>
    key === 'Escape' && chosen !== undefined ? backTo(linkTo('tools'), linkTo('tools', chosen)) : false,
  );
  return (
    <PageFrame title="Tools" sub={all.length === 0 ? undefined : counted(all.length, 'tool')} isFixed>
      <div class={`split tools ${chosen === undefined ? '' : 'chosen'}`}>
        <div class="list stack">
          <SearchField value={query} onChange={setQuery} label="Search tools" />
          <ToolList tools={found.slice(0, SHOWN)} drafts={drafts} chosen={chosen} isGrouped={query === ''} />
          {found.length > SHOWN ? (
            <p class="soft">{grouped(found.length - SHOWN)} more. Search to find them.</p>
          ) : null}
          {found.length === 0 && query !== '' ? (
            <p class="soft">
              No tool matches the search. If you know a tool that is not listed,{' '}
              <a data-row href={linkTo('tools', query.trim())}>
                call it by this name
              </a>
              .
            </p>
          ) : null}
        </div>
        <div class="detail">
          {tool === undefined ? (
            <Empty icon="tools" title="Choose a tool">
              <p>
                {all.length === 0
                  ? 'Tools appear here when a plugin is ready.'
                  : 'Fill in its arguments and call it. Results stream in below.'}
              </p>
            </Empty>
          ) : (
            <ToolDetail key={tool.name} view={tool} drafts={drafts} />
          )}
        </div>
      </div>
    </PageFrame>
  );
}

/** A tool that its plugin no longer lists. */
function formerTool(host: Host, name: string | undefined): ToolView | undefined {
  const seen = name === undefined ? undefined : host.lastSeen(name);
  return host.plugins.value.some((plugin) => plugin.name === seen?.plugin) ? seen : undefined;
}

/** Some methods of dialects, such as `execute_task`, are not listed for models but can be called by name. */
function unlistedTool(all: readonly ToolView[], name: string | undefined): ToolView | undefined {
  if (name === undefined || all.length === 0) return undefined;
  return { name, plugin: '', tool: { name }, enabled: true, clients: true };
}

interface ToolListProps {
  readonly tools: readonly ToolView[];
  readonly drafts: ToolDrafts;
  readonly chosen: string | undefined;
  readonly isGrouped: boolean;
}

function ToolList({ tools: listed, drafts, chosen, isGrouped }: ToolListProps) {
  const place = useRef<HTMLDivElement>(null);
  const isListed = listed.some(({ name }) => name === chosen);
  useEffect(() => {
    place.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, isListed]);
  const groups = new Map<string, ToolView[]>();
  for (const tool of listed) {
    const name = isGrouped ? tool.plugin : '';
    groups.set(name, [...(groups.get(name) ?? []), tool]);
  }
  return (
    <div class="tool-groups" ref={place}>
      {[...groups].map(([plugin, members]) => (
        <section key={plugin} aria-label={plugin === '' ? 'Matches' : plugin}>
          {plugin === '' ? null : <h3 class="group-name">{plugin}</h3>}
          <ul>
            {members.map((view) => (
              <li key={view.name}>
                <ToolLink
                  view={view}
                  isRunning={drafts.callOf(view.name)?.state.value.status === 'running'}
                  isChosen={view.name === chosen}
                  isGrouped={isGrouped}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface ToolLinkProps {
  readonly view: ToolView;
  readonly isRunning: boolean;
  readonly isChosen: boolean;
  readonly isGrouped: boolean;
}

function ToolLink({
  view: { name, tool, plugin, enabled, held },
  isRunning,
  isChosen,
  isGrouped,
}: ToolLinkProps) {
  return (
    <a
      class="tool-link"
      data-row
      href={linkTo('tools', name)}
      aria-current={isChosen ? 'true' : undefined}
      title={visible(`${name}\n${tool.description ?? ''}`)}
    >
      <span class="row tight nowrap">
        <strong>{visible(name)}</strong>
        {enabled ? null : <span class="tag">off</span>}
        {held === undefined ? null : <span class="tag warn">held</span>}
        {isGrouped ? null : <span class="faint small">{plugin}</span>}
        {isRunning ? <span class="spinner push" role="img" aria-label="running" /> : null}
      </span>
      <span class="tool-line">{visible(tool.description ?? tool.title ?? 'No description')}</span>
    </a>
  );
}
