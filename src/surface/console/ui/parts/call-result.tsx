// The result of a call as text, Markdown or a JSON tree, with its images and audio.
import { useState } from 'preact/hooks';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../../base/json.ts';
import type { CallOutcome } from '../api/types.ts';
import { counted, shortSize } from '../lib/format.ts';
import { parsedJson, prettyJson } from '../lib/json.ts';
import { visible } from '../lib/text.ts';
import type { CallState } from '../state/calls.ts';
import { CopyButton, DownloadButton } from './buttons.tsx';
import { JsonView } from './json-view.tsx';
import { Tabs } from './layout.tsx';
import { MarkdownView, Quoted } from './quoted.tsx';

type Format = 'text' | 'markdown' | 'json';

const TEXT_SHOWN = 100_000;

export function CallResult({ state }: { readonly state: CallState }) {
  const { outcome } = state;
  const text = textOf(state);
  const data = dataOf(outcome, text);
  const media = mediaIn(outcome?.data);
  const [chosen, setChosen] = useState<Format>();
  const format = chosen ?? (text === '' && data !== undefined ? 'json' : 'text');
  if (text === '' && data === undefined)
    return state.status === 'ended' && outcome?.ok === true ? (
      <p class="call-part soft">The tool returned no text.</p>
    ) : null;
  const mediaView = media.length === 0 ? null : <MediaView parts={media} />;
  if (text === '' && data !== undefined && isMediaAlone(data))
    return (
      <div class="call-part stack">
        {mediaView}
        <details>
          <summary class="soft">As JSON</summary>
          <JsonView value={data} />
        </details>
      </div>
    );
  const content = () => (format === 'json' && data !== undefined ? prettyJson(data) : text);
  return (
    <div class="call-part stack">
      {mediaView}
      <Tabs
        id="result"
        label="Result format"
        tabs={{ text: 'Text', markdown: 'Markdown', json: 'JSON' }}
        chosen={format}
        onChoose={setChosen}
      >
        <span class="row tight nowrap push">
          <CopyButton text={content} label="Copy result" />
          <DownloadButton
            name={format === 'json' ? 'result.json' : format === 'markdown' ? 'result.md' : 'result.txt'}
            content={content}
            label="Download result"
          />
        </span>
      </Tabs>
      {format === 'json' ? (
        data === undefined ? (
          <p class="soft">The result is not JSON.</p>
        ) : (
          <JsonView value={data} />
        )
      ) : text === '' ? (
        <p class="soft">The result has no text; see JSON.</p>
      ) : format === 'markdown' ? (
        <MarkdownView text={text} />
      ) : (
        <>
          <pre class="said" tabIndex={0} role="log" aria-label="Text of the result">
            {visible(text.slice(0, TEXT_SHOWN))}
          </pre>
          {text.length > TEXT_SHOWN ? (
            <p class="soft">
              {counted(text.length - TEXT_SHOWN, 'more character')} not shown. Copy and download include them.
            </p>
          ) : null}
        </>
      )}
    </div>
  );
}

/** Empty where the error message is shown already. */
function textOf({ outcome, text: streamed }: CallState): string {
  const text = outcome?.text ?? streamed;
  return outcome?.ok === false && text.trim() === outcome.error.message.trim() ? '' : text;
}

/** For the tree: data, or else a text that is JSON. */
function dataOf(outcome: CallOutcome | undefined, text: string): Json | undefined {
  if (outcome?.data !== undefined) return outcome.data;
  if (outcome?.outputs !== undefined && Object.keys(outcome.outputs).length > 0)
    return { ...outcome.outputs };
  return /^\s*[[{]/.test(text) && text.length < 5_000_000 && outcome !== undefined
    ? parsedJson(text)
    : undefined;
}

const mediaNames = { image: 'Image', audio: 'Audio', file: 'File' } as const;

function MediaView({ parts }: { readonly parts: readonly MediaPart[] }) {
  return (
    <div class="media">
      {parts.map((part, index) => (
        <Quoted key={index} by={`${mediaNames[part.kind]} from the tool`}>
          <div class="media-part">
            <Media part={part} label={`${mediaNames[part.kind]} ${index + 1} of the result`} />
            <div class="row">
              <span class="mono small">{visible(part.name)}</span>
              <span class="faint small">
                {visible(part.type)} · {shortSize(part.size)}
              </span>
              <span class="push">
                <DownloadButton name={part.name} content={() => bytesOf(part.data)} />
              </span>
            </div>
          </div>
        </Quoted>
      ))}
    </div>
  );
}

function Media({ part: { kind, type, data }, label }: { readonly part: MediaPart; readonly label: string }) {
  if (kind === 'file') return null;
  // The type is one of a short list, so nothing else can get into this address.
  const address = `data:${type};base64,${data}`;
  return kind === 'image' ? (
    <img src={address} alt={label} />
  ) : (
    <audio src={address} aria-label={label} controls preload="metadata" />
  );
}

export interface MediaPart {
  /** `file`: can only be downloaded. */
  readonly kind: 'image' | 'audio' | 'file';
  readonly type: string;
  /** Base64. */
  readonly data: string;
  /** For the download. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/** Only these are displayed: all are drawn or played, and never run. The endings are for downloads. */
const displayed: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['image/avif', 'avif'],
  ['image/bmp', 'bmp'],
  ['image/svg+xml', 'svg'],
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp3', 'mp3'],
  ['audio/ogg', 'ogg'],
  ['audio/webm', 'webm'],
  ['audio/mp4', 'm4a'],
  ['audio/aac', 'aac'],
  ['audio/flac', 'flac'],
]);

const PARTS_MAX = 20;
const NODES_MAX = 500;
const DEPTH_MAX = 5;

export function mediaIn(data: Json | undefined): MediaPart[] {
  const parts: MediaPart[] = [];
  const budget = { left: NODES_MAX };
  const look = (value: Json | undefined, depth: number) => {
    budget.left -= 1;
    if (budget.left < 0 || depth > DEPTH_MAX || parts.length >= PARTS_MAX) return;
    if (isJsonArray(value)) for (const item of value) look(item, depth + 1);
    else if (isJsonObject(value)) {
      const part = partOf(value, parts.length + 1);
      if (part !== undefined) parts.push(part);
      else for (const inner of Object.values(value)) look(inner, depth + 1);
    }
  };
  look(data, 0);
  return parts;
}

/** Whether the data holds nothing else. */
export function isMediaAlone(data: Json | undefined): boolean {
  return isJsonArray(data) && data.length > 0 && data.length === mediaIn(data).length;
}

function partOf(value: JsonObject, number: number): MediaPart | undefined {
  const { type: kind, data, blob, mimeType, uri } = value;
  const encoded = kind === 'image' || kind === 'audio' ? data : blob;
  if (typeof encoded !== 'string') return undefined;
  // Spaces are removed first: a pattern that allows them in two places would backtrack for ever.
  const text = encoded.replaceAll(/\s/g, '');
  if (!/^[\w+/-]+={0,2}$/.test(text)) return undefined;
  const type = (typeof mimeType === 'string' ? mimeType : 'application/octet-stream')
    .split(';', 1)
    .join('')
    .trim()
    .toLowerCase();
  const ending = displayed.get(type);
  return {
    kind: ending === undefined ? 'file' : type.startsWith('image/') ? 'image' : 'audio',
    type,
    data: text,
    name: fileName(typeof uri === 'string' ? uri : '') ?? `result-${number}.${ending ?? 'bin'}`,
    size: Math.floor((text.replace(/=+$/, '').length * 3) / 4),
  };
}

/** The last segment of an address, where it is a usable file name. */
function fileName(uri: string): string | undefined {
  const [, name] = /\/([\w][\w .@-]{0,99})$/.exec(uri) ?? [];
  return name;
}

/** @throws where it is not base64 */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64.replaceAll(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}
