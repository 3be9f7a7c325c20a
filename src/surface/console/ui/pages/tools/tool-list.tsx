// The tools, by their plugins; what goes on with each is seen beside its name.
import { useEffect, useRef } from 'preact/hooks';
import type { ToolView } from '../../api/types.ts';
import { visible } from '../../lib/visible.ts';
import { linkTo } from '../../state/route.ts';
import type { ToolDesk } from './tool-desk.ts';

export function ToolList({
  tools,
  desk,
  chosen,
  isGrouped,
}: {
  readonly tools: readonly ToolView[];
  readonly desk: ToolDesk;
  readonly chosen: string | undefined;
  readonly isGrouped: boolean;
}) {
  const place = useRef<HTMLDivElement>(null);
  const isThere = tools.some(({ name }) => name === chosen);
  useEffect(() => {
    place.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, isThere]);
  const groups = new Map<string, ToolView[]>();
  for (const tool of tools) {
    const name = isGrouped ? tool.plugin : '';
    groups.set(name, [...(groups.get(name) ?? []), tool]);
  }
  return (
    <div class="tool-groups" ref={place}>
      {[...groups].map(([plugin, members]) => (
        <section key={plugin} aria-label={plugin === '' ? 'Found' : plugin}>
          {plugin === '' ? null : <h3 class="group-name">{plugin}</h3>}
          <ul>
            {members.map((view) => (
              <li key={view.name}>
                <ToolLink view={view} desk={desk} isChosen={view.name === chosen} isGrouped={isGrouped} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function ToolLink({
  view: { name, tool, plugin, enabled, held },
  desk,
  isChosen,
  isGrouped,
}: {
  readonly view: ToolView;
  readonly desk: ToolDesk;
  readonly isChosen: boolean;
  readonly isGrouped: boolean;
}) {
  const status = desk.callOf(name)?.state.value.status;
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
        {status === 'running' ? <span class="spinner push" role="img" aria-label="running" /> : null}
      </span>
      <span class="tool-line">{visible(tool.description ?? tool.title ?? 'No description')}</span>
    </a>
  );
}
