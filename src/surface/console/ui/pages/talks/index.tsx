// Talks: a conversation with a plugin. It goes on while other pages are shown.
import { signal, type Signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { isJsonObject } from '../../../../../base/json.ts';
import type { ToolView } from '../../api/types.ts';
import { visible } from '../../lib/text.ts';
import { Button } from '../../parts/buttons.tsx';
import { Empty, Select } from '../../parts/layout.tsx';
import { FormProblems, SchemaForm } from '../../schema/schema-form.tsx';
import { useForm } from '../../schema/use-form.ts';
import { argumentsSchema, initialValue, type Value } from '../../schema/value.ts';
import { linkTo } from '../../state/address.ts';
import { useHost, usePageState } from '../../state/host.ts';
import { PageFrame, type Page } from '../page.tsx';
import { ChatView } from './chat-view.tsx';
import { chosenTool, talkingTools, toolLabel, startTalk, type ConsoleTalk } from './talk.ts';
import './talks.css';

export const talks: Page = {
  path: 'talks',
  title: 'Talks',
  icon: 'talks',
  key: 'c',
  View: Talks,
  keys: [
    ['Enter', 'Send the message'],
    ['Shift Enter', 'New line'],
    ['Esc', 'Leave the field, to the Leave button'],
  ],
};

interface TalkPageState {
  readonly talk: Signal<ConsoleTalk | undefined>;
  /** The chosen tool. */
  readonly tool: Signal<string>;
  /** The message that is not sent yet. */
  readonly draft: Signal<string>;
}

function Talks() {
  const host = useHost();
  const state = usePageState<TalkPageState>('talks', () => ({
    talk: signal(),
    tool: signal(''),
    draft: signal(''),
  }));
  const talk = state.talk.value;
  const talking = talkingTools(host.tools.value, host.plugins.value);
  const chosen = chosenTool(talking, state.tool.value);
  const [wanted] = host.route.value.rest;
  useEffect(() => {
    if (wanted === undefined) return;
    state.tool.value = wanted;
    // A running conversation stays.
    if (state.talk.value?.state.value.status === 'ended') state.talk.value = undefined;
    location.replace(linkTo('talks'));
  }, [state, wanted]);
  if (talk !== undefined)
    return (
      <PageFrame title="Talks" sub={toolLabel({ name: talk.tool, plugin: talk.plugin })} isFixed>
        <ChatView talk={talk} draft={state.draft} onLeave={() => (state.talk.value = undefined)} />
      </PageFrame>
    );
  const begin = (started: ConsoleTalk) => {
    state.talk.value = started;
    state.draft.value = '';
    const activity = { key: 'talk', label: `Talk: ${started.tool}`, href: linkTo('talks') };
    const end = () => void started.end();
    host.activity.add({ ...activity, startedAt: Date.now(), endLabel: 'Leave', end }, started.ended);
  };
  return (
    <PageFrame title="Talks">
      {talking.length === 0 ? (
        <Empty icon="talks" title="No plugin to talk with">
          <p>
            G-Assist plugins, and plugins in this host with an onInput handler, can continue a conversation
            after a call. Their tools appear here when one is ready.
          </p>
        </Empty>
      ) : (
        <div class="talk-start panel padded stack">
          <label class="stack tight-stack">
            <span class="field-name">Tool (plugin)</span>
            <Select
              value={chosen?.name ?? ''}
              options={[
                ...(chosen === undefined ? [['', 'Choose …'] as const] : []),
                ...talking.map((tool) => [tool.name, toolLabel(tool)] as const),
              ]}
              onChange={(name) => (state.tool.value = name)}
            />
          </label>
          {chosen === undefined ? (
            <p class="soft">Choose the tool to start with. Some tools reply once and end.</p>
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

interface OpeningProps {
  readonly tool: ToolView;
  readonly onStart: (talk: ConsoleTalk) => void;
}

function Opening({ tool, onStart }: OpeningProps) {
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
      <SchemaForm schema={schema} value={value} form={form.context} />
      <div class="row">
        <Button type="submit" look="primary" icon="talks">
          Start the conversation
        </Button>
        <FormProblems count={form.problems.length} />
      </div>
    </form>
  );
}
