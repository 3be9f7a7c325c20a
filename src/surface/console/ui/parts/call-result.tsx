// What a call answered, in the form somebody likes to read: text, Markdown, a tree; images and sounds as such.
import { useState } from 'preact/hooks';
import type { Json } from '../../../../base/json.ts';
import type { CallOutcome } from '../api/types.ts';
import { counted } from '../lib/format.ts';
import { parsedJson, prettyJson } from '../lib/json-node.ts';
import { isMediaAlone, mediaIn } from '../lib/media.ts';
import { visible } from '../lib/visible.ts';
import type { CallState } from '../state/running-call.ts';
import { CopyButton } from './copy-button.tsx';
import { DownloadButton } from './download-button.tsx';
import { JsonView } from './json-view.tsx';
import { MarkdownView } from './markdown-view.tsx';
import { MediaView } from './media-view.tsx';
import { Tabs } from './tabs.tsx';

type Form = 'text' | 'markdown' | 'json';

const SHOWN = 100_000;

export function CallResult({ state }: { readonly state: CallState }) {
  const { outcome } = state;
  const text = textOf(state);
  const data = dataOf(outcome, text);
  const media = mediaIn(outcome?.data);
  const [wish, setWish] = useState<Form>();
  const form = wish ?? (text === '' && data !== undefined ? 'json' : 'text');
  if (text === '' && data === undefined)
    return state.status === 'ended' && outcome?.ok === true ? (
      <p class="call-part soft">It answered without a text.</p>
    ) : null;
  const shown = media.length === 0 ? null : <MediaView parts={media} />;
  if (text === '' && data !== undefined && isMediaAlone(data))
    return (
      <div class="call-part stack">
        {shown}
        <details>
          <summary class="soft">As JSON</summary>
          <JsonView value={data} />
        </details>
      </div>
    );
  const copied = () => (form === 'json' && data !== undefined ? prettyJson(data) : text);
  return (
    <div class="call-part stack">
      {shown}
      <Tabs
        id="result"
        label="Result as"
        tabs={[
          { name: 'text', label: 'Text' },
          { name: 'markdown', label: 'Markdown' },
          { name: 'json', label: 'JSON' },
        ]}
        chosen={form}
        onChoose={setWish}
      >
        <span class="row tight nowrap push">
          <CopyButton text={copied} label="Copy the result" />
          <DownloadButton
            name={form === 'json' ? 'result.json' : form === 'markdown' ? 'result.md' : 'result.txt'}
            content={copied}
            label="Download the result"
          />
        </span>
      </Tabs>
      {form === 'json' ? (
        data === undefined ? (
          <p class="soft">The answer is no JSON.</p>
        ) : (
          <JsonView value={data} />
        )
      ) : text === '' ? (
        <p class="soft">It answered with data alone: see JSON.</p>
      ) : form === 'markdown' ? (
        <MarkdownView text={text} />
      ) : (
        <>
          <pre class="said" tabIndex={0} role="log" aria-label="Text of the call">
            {visible(text.slice(0, SHOWN))}
          </pre>
          {text.length > SHOWN ? (
            <p class="soft">
              {counted(text.length - SHOWN, 'more character')} are not shown; copying and downloading take all
              of them.
            </p>
          ) : null}
        </>
      )}
    </div>
  );
}

/** What is the message of the failure already is not said twice. */
function textOf({ outcome, text: streamed }: CallState): string {
  const text = outcome?.text ?? streamed;
  return outcome?.ok === false && text.trim() === outcome.error.message.trim() ? '' : text;
}

/** What can be shown as a tree: data, else a text that is JSON. */
function dataOf(outcome: CallOutcome | undefined, text: string): Json | undefined {
  if (outcome?.data !== undefined) return outcome.data;
  if (outcome?.outputs !== undefined && Object.keys(outcome.outputs).length > 0)
    return { ...outcome.outputs };
  return /^\s*[[{]/.test(text) && text.length < 5_000_000 && outcome !== undefined
    ? parsedJson(text)
    : undefined;
}
