// One tool: its words, its arguments as a form or as JSON, and its call.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { isJsonObject, type JsonObject } from '../../../../../base/json.ts';
import { part } from '../../api/client.ts';
import type { ToolView } from '../../api/types.ts';
import { CallView } from '../../parts/call-view.tsx';
import { Icon } from '../../parts/icon.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { argumentsSchema } from '../../schema/arguments-schema.ts';
import { SchemaForm } from '../../schema/schema-form.tsx';
import { useForm } from '../../schema/use-form.ts';
import { initialValue } from '../../schema/value.ts';
import { useHost } from '../../state/host-context.ts';
import { linkTo } from '../../state/route.ts';
import { startCall } from '../../state/running-call.ts';
import { ArgumentsText, problemOfJson } from './arguments-text.tsx';
import { CopyCall } from './copy-call.tsx';
import { focusFirstField } from './focus-first-field.ts';
import { idleOwners } from './idle-owners.ts';
import { IdlePlugins } from './idle-plugins.tsx';
import type { ToolDesk, ToolDraft } from './tool-desk.ts';
import { ToolHead } from './tool-head.tsx';

export function ToolDetail({ view, desk }: { readonly view: ToolView; readonly desk: ToolDesk }) {
  const host = useHost();
  const schema = argumentsSchema(view);
  const initial = useMemo(() => initialValue(schema, schema) ?? {}, [schema]);
  const work = desk.of(view.name, () => initial);
  const draft = work.draft.value;
  const { value, text, tab } = draft;
  const change = (changes: Partial<ToolDraft>) => (work.draft.value = { ...work.draft.value, ...changes });
  const form = useForm(schema, value, (edit) => {
    const { text: _typed, ...rest } = work.draft.value;
    work.draft.value = { ...rest, value: edit(rest.value) };
  });
  const place = useRef<HTMLFormElement>(null);
  useEffect(() => focusFirstField(place.current), []);

  const call = work.call.value;
  const args: JsonObject = isJsonObject(value) ? value : {};
  const isRunning = call?.state.value.status === 'running';
  const isUnreadable = text !== undefined && problemOfJson(text) !== undefined;
  const isChanged = text !== undefined || JSON.stringify(value) !== JSON.stringify(initial);
  const idle = idleOwners(view, host.tools.value, host.plugins.value);
  const isIdle = view.plugin !== '' && idle.length > 0;
  const canCall = !isRunning && !isUnreadable && view.enabled && !isIdle;
  const run = () => {
    if (!canCall) return;
    // Whoever types JSON may know more than the schema says.
    if (tab !== 'json' && !form.check()) return;
    const started = startCall(host.api, `/tools/${part(view.name)}/call`, { args });
    desk.begin(work, started);
    const under = { key: `call ${view.name}`, label: view.name, href: linkTo('tools', view.name) };
    const end = () => started.cancel();
    host.underWay.add({ ...under, startedAt: Date.now(), endLabel: 'Cancel', end }, started.ended);
  };
  const isAsked = host.questions.value.some(
    ({ tool, caller }) => tool === view.name && caller.kind === 'user',
  );

  return (
    <form
      ref={place}
      class={`tool-detail ${call === undefined ? '' : 'has-call'}`}
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
      <div class="tool-body">
        <div class="tool-form stack">
          <ToolHead view={view} />
          <Tabs
            id="args"
            label="Arguments as"
            tabs={[
              { name: 'form', label: 'Form' },
              { name: 'json', label: 'JSON' },
              { name: 'schema', label: 'Schema' },
            ]}
            chosen={tab}
            onChoose={(next) => change({ tab: next })}
          />
          {tab === 'form' ? (
            <SchemaForm key={form.revision} schema={schema} value={value} ports={form.ports} />
          ) : tab === 'json' ? (
            <ArgumentsText
              args={args}
              text={text}
              onType={(typed, read) => {
                change({ text: typed, ...(read !== undefined && { value: read }) });
                form.forget();
              }}
            />
          ) : (
            <JsonView value={schema} />
          )}
        </div>
        {call === undefined ? null : (
          <div class="tool-result">
            <CallView
              call={call}
              note={isAsked ? <Asked /> : undefined}
              onward={isIdle ? undefined : <Onward tool={view.name} />}
            />
          </div>
        )}
      </div>
      <IdlePlugins plugins={idle} isOwner={view.plugin !== ''} />
      <div class="row call-bar">
        <button type="submit" class="button primary" disabled={!canCall}>
          <Icon name="play" /> Call <kbd class="keyboard">Ctrl ⏎</kbd>
        </button>
        {isChanged ? (
          <button
            type="button"
            class="button plain"
            title="Back to how the form begins"
            onClick={() => {
              work.draft.value = { value: initial, tab };
              form.forget();
            }}
          >
            <Icon name="restart" /> Reset
          </button>
        ) : null}
        {form.problems.length === 0 ? null : (
          <span class="bad-text" role="alert">
            {form.problems.length === 1 ? 'One field needs you' : `${form.problems.length} fields need you`}
          </span>
        )}
        <CopyCall tool={view.name} args={args} />
      </div>
    </form>
  );
}

function Onward({ tool }: { readonly tool: string }) {
  return (
    <>
      <span>
        It waits for what you say next. That is said in a conversation, which begins with this call.
      </span>
      <a class="button primary" href={linkTo('talks', tool)}>
        <Icon name="talks" /> Go on in Talks
      </a>
    </>
  );
}

function Asked() {
  return (
    <>
      <Icon name="approvals" /> It waits for a yes: <a href={linkTo('approvals')}>answer it in Approvals</a>.
    </>
  );
}
