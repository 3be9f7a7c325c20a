// Tools: find one, fill it in, call it.
import { useState } from 'preact/hooks';
import type { Page } from '../page.ts';
import type { ToolView } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';
import { found } from '../../lib/search.ts';
import { visible } from '../../lib/visible.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { useHost } from '../../state/host-context.ts';
import { usePageKeys } from '../../state/page-keys.ts';
import { linkTo } from '../../state/route.ts';
import { ToolDetail } from './tool-detail.tsx';
import './tools.css';

export const tools: Page = {
  path: 'tools',
  title: 'Tools',
  icon: 'tools',
  key: 't',
  View: Tools,
  keys: [['Ctrl Enter', 'Call']],
};

/** More are found by searching. */
const SHOWN = 300;

function Tools() {
  const host = useHost();
  const [query, setQuery] = useState('');
  const [chosen] = host.route.value.rest;
  const all = host.tools.value;
  const fitting = found(all, query, ({ name, plugin, tool }) => ({
    name,
    description: `${plugin} ${tool.title ?? ''} ${tool.description ?? ''}`,
  }));
  const tool = all.find(({ name }) => name === chosen) ?? unlisted(all, chosen);
  usePageKeys((key) => {
    if (key !== 'Escape' || chosen === undefined) return false;
    location.hash = linkTo('tools');
    return true;
  });
  return (
    <PageFrame title="Tools" sub={all.length === 0 ? undefined : counted(all.length, 'tool')} isFixed>
      <div class={`split tools ${chosen === undefined ? '' : 'chosen'}`}>
        <div class="list stack">
          <SearchField value={query} onChange={setQuery} label="Search tools" />
          <ToolList tools={fitting.slice(0, SHOWN)} chosen={chosen} isGrouped={query === ''} />
          {fitting.length > SHOWN ? (
            <p class="soft">{fitting.length - SHOWN} more; search for them.</p>
          ) : null}
          {fitting.length === 0 && query !== '' ? (
            <p class="soft">
              No tool has these words in its name or description.{' '}
              <a href={linkTo('tools', query.trim())}>Call it by this name</a>, where you know one that is not
              listed.
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
            <ToolDetail key={tool.name} view={tool} />
          )}
        </div>
      </div>
    </PageFrame>
  );
}

/** Dialects have methods that no model is offered, such as `execute_task`: whoever knows the name can call them. */
function unlisted(all: readonly ToolView[], name: string | undefined): ToolView | undefined {
  if (name === undefined || all.length === 0) return undefined;
  return { name, plugin: '', tool: { name }, enabled: true };
}

function ToolList({
  tools,
  chosen,
  isGrouped,
}: {
  readonly tools: readonly ToolView[];
  readonly chosen: string | undefined;
  readonly isGrouped: boolean;
}) {
  const groups = new Map<string, ToolView[]>();
  for (const tool of tools) {
    const name = isGrouped ? tool.plugin : '';
    groups.set(name, [...(groups.get(name) ?? []), tool]);
  }
  return (
    <div class="tool-groups">
      {[...groups].map(([plugin, members]) => (
        <section key={plugin} aria-label={plugin === '' ? 'Found' : plugin}>
          {plugin === '' ? null : <h3 class="group-name">{plugin}</h3>}
          <ul>
            {members.map(({ name, tool, plugin: owner, enabled }) => (
              <li key={name}>
                <a
                  class="tool-link"
                  data-row
                  href={linkTo('tools', name)}
                  aria-current={name === chosen ? 'true' : undefined}
                >
                  <span class="row tight">
                    <strong>{visible(name)}</strong>
                    {enabled ? null : <span class="tag">off</span>}
                    {isGrouped ? null : <span class="faint small">{owner}</span>}
                  </span>
                  <span class="tool-line">{visible(tool.description ?? tool.title ?? 'No description')}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
