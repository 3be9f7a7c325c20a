// One tool: its words, its arguments as a form or as JSON, and its calls.
import { useMemo, useState } from 'preact/hooks';
import { isJsonObject, type Json, type JsonObject } from '../../../../../base/json.ts';
import { part } from '../../api/client.ts';
import type { ToolView } from '../../api/types.ts';
import { prettyJson } from '../../lib/json-node.ts';
import { CallView } from '../../parts/call-view.tsx';
import { Icon } from '../../parts/icon.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Quoted } from '../../parts/quoted.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { SchemaForm } from '../../schema/schema-form.tsx';
import {
  initialValue,
  problemsOf,
  withValueAt,
  type FieldProblem,
  type Path,
  type Value,
} from '../../schema/value.ts';
import { useHost } from '../../state/host-context.ts';
import { linkTo } from '../../state/route.ts';
import { startCall, type RunningCall } from '../../state/running-call.ts';
import { CopyAs } from './copy-as-menu.tsx';

export function ToolDetail({ view }: { readonly view: ToolView }) {
  const host = useHost();
  const { tool } = view;
  const schema: Json = tool.inputSchema ?? true;
  const [value, setValue] = useState<Value>(() => initialValue(schema, schema) ?? {});
  const [text, setText] = useState<string>();
  const [tab, setTab] = useState<'form' | 'json' | 'schema'>('form');
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const [call, setCall] = useState<RunningCall>();
  const args: JsonObject = isJsonObject(value) ? value : {};
  const jsonProblem = useMemo(() => (text === undefined ? undefined : problemOfJson(text)), [text]);
  const isRunning = call?.state.value.status === 'running';

  const change = (path: Path, next: Value) => {
    setValue((before) => withValueAt(before, path, next));
    setText(undefined);
    setProblems((before) => before.filter((problem) => problem.path.join('\n') !== path.join('\n')));
  };
  const type = (typed: string) => {
    setText(typed);
    if (problemOfJson(typed) === undefined) setValue(JSON.parse(typed) as JsonObject);
  };
  const run = () => {
    if (isRunning || jsonProblem !== undefined) return;
    const found = tab === 'json' ? [] : problemsOf(schema, schema, value);
    setProblems(found);
    if (found.length > 0) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return;
    }
    setCall(startCall(host.api, `/tools/${part(view.name)}/call`, { args }));
  };

  return (
    <form
      class="tool-detail stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        run();
      }}
    >
      <a class="back button plain" href={linkTo('tools')}>
        <Icon name="back" /> All tools
      </a>
      <header class="stack tight-stack">
        <div class="row">
          <h2 class="tool-name">{view.name}</h2>
          {view.plugin === '' ? (
            <span class="tag warn">not listed</span>
          ) : (
            <a class="tag" href={linkTo('fleet', view.plugin)}>
              {view.plugin}
            </a>
          )}
          {tool.hints?.readOnly === true ? <span class="tag good">says it only reads</span> : null}
          {tool.hints?.destructive === true ? <span class="tag bad">may destroy</span> : null}
          {view.enabled ? null : <span class="tag warn">off</span>}
        </div>
        {tool.title === undefined ? null : <p class="soft">{tool.title}</p>}
        {view.plugin === '' ? (
          <p class="soft">Nothing is known of its arguments; the host says whether there is such a tool.</p>
        ) : null}
      </header>
      {tool.description === undefined ? null : <Quoted by={`${view.plugin} says`} text={tool.description} />}
      <Tabs
        id="args"
        label="Arguments as"
        tabs={[
          { name: 'form', label: 'Form' },
          { name: 'json', label: 'JSON' },
          { name: 'schema', label: 'Schema' },
        ]}
        chosen={tab}
        onChoose={setTab}
      />
      {tab === 'form' ? (
        <SchemaForm schema={schema} value={value} ports={{ root: schema, problems, change }} />
      ) : tab === 'json' ? (
        <div class="stack tight-stack">
          <textarea
            class="mono"
            rows={10}
            aria-label="Arguments as JSON"
            aria-invalid={jsonProblem !== undefined}
            spellcheck={false}
            value={text ?? prettyJson(args)}
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
          {jsonProblem === undefined ? null : <p class="bad-text small">{jsonProblem}</p>}
        </div>
      ) : (
        <JsonView value={schema} />
      )}
      <div class="row call-bar">
        <button
          type="submit"
          class="button primary"
          disabled={isRunning || jsonProblem !== undefined || !view.enabled}
        >
          <Icon name="play" /> Call <kbd class="keyboard">Ctrl ⏎</kbd>
        </button>
        {problems.length === 0 ? null : (
          <span class="bad-text" role="alert">
            {problems.length === 1 ? 'One field needs you' : `${problems.length} fields need you`}
          </span>
        )}
        <CopyAs tool={view.name} args={args} />
      </div>
      {call === undefined ? null : <CallView call={call} />}
    </form>
  );
}

function problemOfJson(text: string): string | undefined {
  try {
    return isJsonObject(JSON.parse(text)) ? undefined : 'Arguments are one JSON object: { … }';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
