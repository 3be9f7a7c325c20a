// Talks: a conversation with a plugin that asks back.
import { useState } from 'preact/hooks';
import { isJsonObject, type Json } from '../../../../../base/json.ts';
import type { Page } from '../page.ts';
import type { ToolView } from '../../api/types.ts';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SchemaForm } from '../../schema/schema-form.tsx';
import { initialValue, withValueAt, type Value } from '../../schema/value.ts';
import { useHost } from '../../state/host-context.ts';
import { ChatView } from './chat-view.tsx';
import { startTalk, type ConsoleTalk } from './talk.ts';
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
  ],
};

function Talks() {
  const host = useHost();
  const [talk, setTalk] = useState<ConsoleTalk>();
  const [name, setName] = useState('');
  const talking = talkingTools(
    host.tools.value,
    new Set(host.plugins.value.flatMap(({ name, talks }) => (talks === true ? [name] : []))),
  );
  const chosen = talking.find((tool) => tool.name === name) ?? talking[0];
  if (talk !== undefined)
    return (
      <PageFrame title="Talks" sub={talk.tool} isFixed>
        <ChatView talk={talk} onLeave={() => setTalk(undefined)} />
      </PageFrame>
    );
  return (
    <PageFrame title="Talks">
      {chosen === undefined ? (
        <Empty icon="talks" title="Nobody to talk with">
          <p>
            G-Assist plugins, and those in this host that have onInput, can keep the conversation after a
            call. Their tools appear here as soon as one is ready.
          </p>
        </Empty>
      ) : (
        <div class="talk-start panel padded stack">
          <label class="stack tight-stack">
            <span class="field-name">Tool</span>
            <select value={chosen.name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
              {talking.map((tool) => (
                <option key={tool.name} value={tool.name}>
                  {tool.name} · {tool.plugin}
                </option>
              ))}
            </select>
          </label>
          {chosen.tool.description === undefined ? null : <p class="soft">{chosen.tool.description}</p>}
          <Opening key={chosen.name} tool={chosen} onStart={setTalk} />
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
  const schema: Json = tool.tool.inputSchema ?? { type: 'object', properties: {} };
  const [value, setValue] = useState<Value>(() => initialValue(schema, schema) ?? {});
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onStart(startTalk(host.api, tool.name, isJsonObject(value) ? value : {}));
      }}
    >
      <SchemaForm
        schema={schema}
        value={value}
        ports={{
          root: schema,
          problems: [],
          change: (path, next) => setValue((before) => withValueAt(before, path, next)),
        }}
      />
      <div>
        <button type="submit" class="button primary">
          <Icon name="talks" /> Start the conversation
        </button>
      </div>
    </form>
  );
}

/** Which of them keep the session is known once they were called. */
function talkingTools(tools: readonly ToolView[], plugins: ReadonlySet<string>): ToolView[] {
  return tools.filter(({ plugin, enabled }) => enabled && plugins.has(plugin));
}
