// What a plugin offers.
import { visible } from '../../lib/visible.ts';
import { useHost } from '../../state/host-context.ts';
import { linkTo } from '../../state/route.ts';

const SHOWN = 300;

export function PluginTools({ plugin }: { readonly plugin: string }) {
  const tools = useHost().tools.value.filter((tool) => tool.plugin === plugin);
  if (tools.length === 0)
    return <p class="soft padded">It offers no tools, or none is exposed while it is not ready.</p>;
  return (
    <ul class="plain-list">
      {tools.slice(0, SHOWN).map(({ name, tool, enabled }) => (
        <li key={name}>
          <a href={linkTo('tools', name)}>{visible(name)}</a>
          {enabled ? null : <span class="tag">off</span>}
          <span class="soft line">{visible(tool.description ?? tool.title ?? 'No description')}</span>
        </li>
      ))}
      {tools.length > SHOWN ? <li class="soft">{tools.length - SHOWN} more: see Tools.</li> : null}
    </ul>
  );
}
