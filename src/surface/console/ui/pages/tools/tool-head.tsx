// What a tool is, and what its plugin says of it.
import type { ToolView } from '../../api/types.ts';
import { visible } from '../../lib/visible.ts';
import { Icon } from '../../parts/icon.tsx';
import { Quoted } from '../../parts/quoted.tsx';
import { linkTo } from '../../state/route.ts';

export function ToolHead({ view }: { readonly view: ToolView }) {
  const { tool, plugin } = view;
  return (
    <>
      <a class="back button plain" href={linkTo('tools')}>
        <Icon name="back" /> All tools
      </a>
      <header class="stack tight-stack">
        <div class="row">
          <h2 class="tool-name">{visible(view.name)}</h2>
          {plugin === '' ? (
            <span class="tag warn">not listed</span>
          ) : (
            <a class="tag" href={linkTo('fleet', plugin)}>
              {plugin}
            </a>
          )}
          {tool.hints?.readOnly === true ? <span class="tag good">says it only reads</span> : null}
          {tool.hints?.destructive === true ? <span class="tag bad">may destroy</span> : null}
          {view.enabled ? null : <span class="tag warn">off</span>}
          {view.held === undefined ? null : <span class="tag warn">held</span>}
        </div>
        {tool.title === undefined ? null : <p class="soft">{visible(tool.title)}</p>}
        {view.held === undefined ? null : (
          <p class="soft">
            {view.held === 'new'
              ? 'The plugin did not have this tool when it was approved.'
              : 'This tool is not defined as it was when it was approved.'}{' '}
            Models and connected programs can call it once somebody allows it: when it is asked about, or with{' '}
            <code>pluglot allow {`${plugin}__${view.tool.name}`}</code>.
          </p>
        )}
        {plugin === '' ? (
          <p class="soft">
            It is in no list of the host, which says whether there is such a tool when it is called.
          </p>
        ) : null}
      </header>
      {tool.description === undefined ? null : <Quoted by={`${plugin} says`} text={tool.description} />}
    </>
  );
}
