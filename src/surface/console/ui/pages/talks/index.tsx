// Talks: a conversation with a plugin that asks back. It goes on while other pages are shown.
import { signal, type Signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { isJsonObject } from '../../../../../base/json.ts';
import type { Page } from '../page.ts';
import type { ToolView } from '../../api/types.ts';
import { visible } from '../../lib/visible.ts';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { argumentsSchema } from '../../schema/arguments-schema.ts';
import { SchemaForm } from '../../schema/schema-form.tsx';
import { useForm } from '../../schema/use-form.ts';
import { initialValue, type Value } from '../../schema/value.ts';
import { useHost } from '../../state/host-context.ts';
import { linkTo } from '../../state/route.ts';
import { useKept } from '../../state/use-kept.ts';
import { ChatView } from './chat-view.tsx';
import { startTalk, type ConsoleTalk } from './talk.ts';
import { chosenTool, talkingTools, toolLabel } from './talking-tools.ts';
import './talks.css';

export const talks: Page = {
  path: 'talks',
  title: 'Talks',
  icon: 'talks',
  key: 'c',
  View: Talks,
  keys: [
    ['Enter', 'Say it'],
    ['Shift Enter', 'A new line'],
    ['Esc', 'Out of the field, to Leave'],
  ],
};

interface TalkDesk {
  readonly talk: Signal<ConsoleTalk | undefined>;
  /** The tool that was chosen. */
  readonly tool: Signal<string>;
  /** What is typed and not said yet. */
  readonly typed: Signal<string>;
}

function Talks() {
  const host = useHost();
  const desk = useKept<TalkDesk>('talks', () => ({ talk: signal(), tool: signal(''), typed: signal('') }));
  const talk = desk.talk.value;
  const talking = talkingTools(host.tools.value, host.plugins.value);
  const chosen = chosenTool(talking, desk.tool.value);
  const [wanted] = host.route.value.rest;
  useEffect(() => {
    if (wanted === undefined) return;
    desk.tool.value = wanted;
    // One that goes on is not left for it.
    if (desk.talk.value?.state.value.status === 'ended') desk.talk.value = undefined;
    location.replace(linkTo('talks'));
  }, [desk, wanted]);
  if (talk !== undefined)
    return (
      <PageFrame title="Talks" sub={toolLabel({ name: talk.tool, plugin: talk.plugin })} isFixed>
        <ChatView talk={talk} typed={desk.typed} onLeave={() => (desk.talk.value = undefined)} />
      </PageFrame>
    );
  const begin = (started: ConsoleTalk) => {
    desk.talk.value = started;
    desk.typed.value = '';
    const under = { key: 'talk', label: `Talk: ${started.tool}`, href: linkTo('talks') };
    const end = () => void started.end();
    host.underWay.add({ ...under, startedAt: Date.now(), endLabel: 'Leave', end }, started.ended);
  };
  return (
    <PageFrame title="Talks">
      {talking.length === 0 ? (
        <Empty icon="talks" title="Nobody to talk with">
          <p>
            G-Assist plugins, and those in this host that have onInput, can keep the conversation after a
            call. Their tools appear here as soon as one is ready.
          </p>
        </Empty>
      ) : (
        <div class="talk-start panel padded stack">
          <label class="stack tight-stack">
            <span class="field-name">Tool (and its plugin)</span>
            <select
              value={chosen?.name ?? ''}
              onChange={({ currentTarget }) => (desk.tool.value = currentTarget.value)}
            >
              {chosen === undefined ? <option value="">choose …</option> : null}
              {talking.map((tool) => (
                <option key={tool.name} value={tool.name}>
                  {toolLabel(tool)}
                </option>
              ))}
            </select>
          </label>
          {chosen === undefined ? (
            <p class="soft">
              Choose what to begin with. Not every tool of a plugin that talks asks back: one that does not
              answers, and that is all.
            </p>
          ) : (
            <>
              {chosen.tool.description === undefined ? null : (
                <p class="soft">{visible(chosen.tool.description)}</p>
              )}
              <Opening key={chosen.name} tool={chosen} onStart={begin} />
            </>
          )}
        </div>
      )}
    </PageFrame>
  );
}

function Opening({
  tool,
  onStart,
}: {
  readonly tool: ToolView;
  readonly onStart: (talk: ConsoleTalk) => void;
}) {
  const host = useHost();
  const schema = argumentsSchema(tool);
  const [value, setValue] = useState<Value>(() => initialValue(schema, schema) ?? {});
  const form = useForm(schema, value, setValue);
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (form.check()) onStart(startTalk(host.api, tool, isJsonObject(value) ? value : {}));
      }}
    >
      <SchemaForm schema={schema} value={value} ports={form.ports} />
      <div class="row">
        <button type="submit" class="button primary">
          <Icon name="talks" /> Start the conversation
        </button>
        {form.problems.length === 0 ? null : (
          <span class="bad-text" role="alert">
            {form.problems.length === 1 ? 'One field needs you' : `${form.problems.length} fields need you`}
          </span>
        )}
      </div>
    </form>
  );
}
