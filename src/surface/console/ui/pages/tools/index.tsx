// Tools: find one, fill it in, call it.
import { useState } from 'preact/hooks';
import type { Page } from '../page.ts';
import type { ToolView } from '../../api/types.ts';
import { counted, grouped } from '../../lib/format.ts';
import { found } from '../../lib/search.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import type { Host } from '../../state/host.ts';
import { useHost } from '../../state/host-context.ts';
import { backTo, usePageKeys } from '../../state/page-keys.ts';
import { linkTo } from '../../state/route.ts';
import { useKept } from '../../state/use-kept.ts';
import { ownFirst } from './own-first.ts';
import { ToolDesk } from './tool-desk.ts';
import { ToolDetail } from './tool-detail.tsx';
import { ToolList } from './tool-list.tsx';
import './tools.css';

export const tools: Page = {
  path: 'tools',
  title: 'Tools',
  icon: 'tools',
  key: 't',
  View: Tools,
  keys: [['Ctrl Enter', 'Call, from anywhere in the form']],
};

/** More are found by searching. */
const SHOWN = 300;

function Tools() {
  const host = useHost();
  const desk = useKept('tools', () => new ToolDesk());
  const [query, setQuery] = useState('');
  const [chosen] = host.route.value.rest;
  const all = ownFirst(host.tools.value, host.plugins.value);
  const fitting = found(all, query, ({ name, plugin, tool }) => ({
    name,
    description: `${plugin} ${tool.title ?? ''} ${tool.description ?? ''}`,
  }));
  const tool = all.find(({ name }) => name === chosen) ?? formerly(host, chosen) ?? unlisted(all, chosen);
  usePageKeys((key) =>
    key === 'Escape' && chosen !== undefined ? backTo(linkTo('tools'), linkTo('tools', chosen)) : false,
  );
  return (
    <PageFrame title="Tools" sub={all.length === 0 ? undefined : counted(all.length, 'tool')} isFixed>
      <div class={`split tools ${chosen === undefined ? '' : 'chosen'}`}>
        <div class="list stack">
          <SearchField value={query} onChange={setQuery} label="Search tools" />
          <ToolList tools={fitting.slice(0, SHOWN)} desk={desk} chosen={chosen} isGrouped={query === ''} />
          {fitting.length > SHOWN ? (
            <p class="soft">{grouped(fitting.length - SHOWN)} more; search for them.</p>
          ) : null}
          {fitting.length === 0 && query !== '' ? (
            <p class="soft">
              No tool has these words in its name or description.{' '}
              <a data-row href={linkTo('tools', query.trim())}>
                Call it by this name
              </a>
              , where you know one that is not listed.
            </p>
          ) : null}
        </div>
        <div class="detail">
          {tool === undefined ? (
            <Empty icon="tools" title="Choose a tool">
              <p>
                {all.length === 0
                  ? 'Tools appear here as soon as a plugin is ready.'
                  : 'Its arguments become a form; what it answers comes as it says it.'}
              </p>
            </Empty>
          ) : (
            <ToolDetail key={tool.name} view={tool} desk={desk} />
          )}
        </div>
      </div>
    </PageFrame>
  );
}

/** Its plugin lists it no more, and is still there. */
function formerly(host: Host, name: string | undefined): ToolView | undefined {
  const seen = name === undefined ? undefined : host.lastSeen(name);
  return host.plugins.value.some((plugin) => plugin.name === seen?.plugin) ? seen : undefined;
}

/** Dialects have methods that no model is offered, such as `execute_task`: whoever knows the name can call them. */
function unlisted(all: readonly ToolView[], name: string | undefined): ToolView | undefined {
  if (name === undefined || all.length === 0) return undefined;
  return { name, plugin: '', tool: { name }, enabled: true, clients: true };
}
