// One tool: its description, its arguments as a form or as JSON, and its call.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { isJsonObject, type JsonObject } from '../../../../../base/json.ts';
import { segment } from '../../api/client.ts';
import type { PluginView, ToolView } from '../../api/types.ts';
import { parsedArguments, prettyJson } from '../../lib/json.ts';
import { visible } from '../../lib/text.ts';
import { Button } from '../../parts/buttons.tsx';
import { CallView } from '../../parts/call-view.tsx';
import { Icon } from '../../parts/icon.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Tabs } from '../../parts/layout.tsx';
import { Quoted } from '../../parts/quoted.tsx';
import { FormProblems, SchemaForm } from '../../schema/schema-form.tsx';
import { useForm } from '../../schema/use-form.ts';
import { argumentsSchema, initialValue } from '../../schema/value.ts';
import { linkTo } from '../../state/address.ts';
import { startCall } from '../../state/calls.ts';
import { useHost } from '../../state/host.ts';
import { PluginActions } from '../fleet/plugin-actions.tsx';
import { CopyCall } from './copy-call.tsx';
import { idleOwners, type ToolDraft, type ToolDrafts } from './drafts.ts';

export function ToolDetail({ view, drafts }: { readonly view: ToolView; readonly drafts: ToolDrafts }) {
  const host = useHost();
  const schema = argumentsSchema(view);
  const initial = useMemo(() => initialValue(schema, schema) ?? {}, [schema]);
  const session = drafts.of(view.name, () => initial);
  const { value, text, tab } = session.draft.value;
  const change = (changes: Partial<ToolDraft>) =>
    (session.draft.value = { ...session.draft.value, ...changes });
  const form = useForm(schema, value, (edit) => {
    const { text: _typed, ...rest } = session.draft.value;
    session.draft.value = { ...rest, value: edit(rest.value) };
  });
  const place = useRef<HTMLFormElement>(null);
  useEffect(() => focusFirstField(place.current), []);

  const call = session.call.value;
  const args: JsonObject = isJsonObject(value) ? value : {};
  const isRunning = call?.state.value.status === 'running';
  const isInvalidJson = text !== undefined && parsedArguments(text).problem !== undefined;
  const isChanged = text !== undefined || JSON.stringify(value) !== JSON.stringify(initial);
  const idle = idleOwners(view, host.tools.value, host.plugins.value);
  const isIdle = view.plugin !== '' && idle.length > 0;
  const canCall = !isRunning && !isInvalidJson && view.enabled && !isIdle;
  const run = () => {
    if (!canCall) return;
    // JSON is sent unchecked: the user may know more than the schema says.
    if (tab !== 'json' && !form.check()) return;
    const started = startCall(host.api, `/tools/${segment(view.name)}/call`, { args });
    drafts.begin(session, started);
    const activity = { key: `call ${view.name}`, label: view.name, href: linkTo('tools', view.name) };
    const end = () => started.cancel();
    host.activity.add({ ...activity, startedAt: Date.now(), endLabel: 'Cancel', end }, started.ended);
  };
  const needsApproval = host.questions.value.some(
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
            label="Format of the arguments"
            tabs={{ form: 'Form', json: 'JSON', schema: 'Schema' }}
            chosen={tab}
            onChoose={(next) => change({ tab: next })}
          />
          {tab === 'form' ? (
            <SchemaForm key={form.revision} schema={schema} value={value} form={form.context} />
          ) : tab === 'json' ? (
            <ArgumentsText
              args={args}
              text={text}
              onChange={(typed, parsed) => {
                change({ text: typed, ...(parsed !== undefined && { value: parsed }) });
                form.reset();
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
              note={needsApproval ? <ApprovalNote /> : undefined}
              onward={isIdle ? undefined : <Onward tool={view.name} />}
            />
          </div>
        )}
      </div>
      <IdlePlugins plugins={idle} isOwner={view.plugin !== ''} />
      <div class="row call-bar">
        <Button type="submit" look="primary" icon="play" disabled={!canCall}>
          Call <kbd class="keyboard">Ctrl ⏎</kbd>
        </Button>
        {isChanged ? (
          <Button
            look="plain"
            icon="restart"
            title="Reset the form to its initial values"
            onClick={() => {
              session.draft.value = { value: initial, tab };
              form.reset();
            }}
          >
            Reset
          </Button>
        ) : null}
        <FormProblems count={form.problems.length} />
        <CopyCall tool={view.name} args={args} />
      </div>
    </form>
  );
}

/** Not on a phone, where the keyboard would cover the description. */
function focusFirstField(form: HTMLElement | null): void {
  if (!matchMedia('(hover: hover) and (pointer: fine)').matches) return;
  const field =
    form?.querySelector<HTMLElement>(
      ':is(.fields, .field, .items) :is(input, select, textarea, .switch button)',
    ) ?? form?.querySelector<HTMLElement>('button[type="submit"]');
  field?.focus({ preventScroll: true });
}

function Onward({ tool }: { readonly tool: string }) {
  return (
    <>
      <span>The tool waits for your answer. Start a conversation with this call to give it.</span>
      <a class="button primary" href={linkTo('talks', tool)}>
        <Icon name="talks" /> Continue in Talks
      </a>
    </>
  );
}

function ApprovalNote() {
  return (
    <>
      <Icon name="approvals" /> Waiting for approval: <a href={linkTo('approvals')}>answer it in Approvals</a>
      .
    </>
  );
}

function ToolHead({ view }: { readonly view: ToolView }) {
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
          {tool.hints?.readOnly === true ? <span class="tag good">read-only (not verified)</span> : null}
          {tool.hints?.destructive === true ? <span class="tag bad">may destroy data</span> : null}
          {view.enabled ? null : <span class="tag warn">off</span>}
          {view.held === undefined ? null : <span class="tag warn">held</span>}
        </div>
        {tool.title === undefined ? null : <p class="soft">{visible(tool.title)}</p>}
        {view.held === undefined ? null : (
          <p class="soft">
            {view.held === 'new'
              ? 'The plugin did not have this tool when it was approved.'
              : 'The definition of this tool has changed since it was approved.'}{' '}
            Models and connected programs can call it after you allow it, in Approvals or with{' '}
            <code>pluglot allow {`${plugin}__${view.tool.name}`}</code>.
          </p>
        )}
        {plugin === '' ? (
          <p class="soft">The host does not list this tool. Whether it exists is known when you call it.</p>
        ) : null}
      </header>
      {tool.description === undefined ? null : (
        <Quoted by={`Description by ${plugin}`} text={tool.description} />
      )}
    </>
  );
}

interface ArgumentsTextProps {
  readonly args: JsonObject;
  /** As typed. */
  readonly text: string | undefined;
  /** `parsed` is undefined while the text is not a JSON object. */
  readonly onChange: (text: string, parsed: JsonObject | undefined) => void;
}

function ArgumentsText({ args, text, onChange }: ArgumentsTextProps) {
  const problem = text === undefined ? undefined : parsedArguments(text).problem;
  return (
    <div class="stack tight-stack">
      <textarea
        class="mono"
        rows={10}
        aria-label="Arguments as JSON"
        aria-invalid={problem !== undefined}
        spellcheck={false}
        value={text ?? prettyJson(args)}
        onInput={({ currentTarget: { value } }) => onChange(value, parsedArguments(value).args)}
      />
      {problem === undefined ? null : <p class="bad-text small">{problem}</p>}
    </div>
  );
}

const IDLE_SHOWN = 5;

interface IdleProps {
  readonly plugins: readonly PluginView[];
  /** Whether the tool is known to belong to them. */
  readonly isOwner: boolean;
}

function IdlePlugins({ plugins, isOwner }: IdleProps) {
  if (plugins.length === 0) return null;
  return (
    <div class="idle-plugins stack tight-stack" role="status">
      {isOwner ? null : <p>It may belong to a plugin that is not running; those list no tools.</p>}
      {plugins.slice(0, IDLE_SHOWN).map((plugin) => (
        <div key={plugin.name} class="row">
          <Icon name="stop" />
          <span>
            The plugin {plugin.name} {plugin.state === 'failed' ? 'has failed' : `is ${plugin.state}`}.
            {isOwner ? ' Start it to call its tools.' : ''}
          </span>
          <span class="push">
            <PluginActions plugin={plugin} />
          </span>
        </div>
      ))}
    </div>
  );
}
