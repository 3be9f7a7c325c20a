// One message in full, with a link to its request or response.
import { useMemo } from 'preact/hooks';
import { clockTime, shortDuration, shortSize } from '../../lib/format.ts';
import { parsedJson, prettyJson } from '../../lib/json.ts';
import { visible } from '../../lib/text.ts';
import { CopyButton, IconButton } from '../../parts/buttons.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { useHost } from '../../state/host.ts';
import { nameOf, type LoggedMessage } from './traffic-log.ts';

interface DetailProps {
  readonly position: number;
  readonly onChoose: (position: number | undefined) => void;
  readonly onMove: (by: number) => void;
}

export function MessageDetail({ position, onChoose, onMove }: DetailProps) {
  const { traffic: store } = useHost();
  // The response may arrive while its request is shown.
  void store.version.value;
  const message = store.at(position);
  return (
    <section class="wire-detail panel" aria-label="Message">
      <div class="row">
        <IconButton icon="close" label="Close" title="Close (Esc)" onClick={() => onChoose(undefined)} />
        <h2>{message === undefined ? 'Not available' : nameOf(message)}</h2>
        <span class="row tight nowrap push">
          {message?.text === undefined ? null : <CopyButton text={message.text} label="Copy message" />}
          <IconButton
            icon="chevron"
            class="turn-up"
            label="Previous message"
            title="Previous message (k, ↑)"
            onClick={() => onMove(-1)}
          />
          <IconButton
            icon="chevron"
            class="turn-down"
            label="Next message"
            title="Next message (j, ↓)"
            onClick={() => onMove(1)}
          />
        </span>
      </div>
      {message === undefined ? (
        <p class="soft">This message is no longer kept: newer ones have replaced it.</p>
      ) : (
        <>
          <Facts message={message} onChoose={onChoose} />
          <Content text={message.text} size={message.size} />
        </>
      )}
    </section>
  );
}

interface FactsProps {
  readonly message: LoggedMessage;
  readonly onChoose: (position: number) => void;
}

function Facts({ message, onChoose }: FactsProps) {
  const { partner, latencyMs, plugin, id, size } = message;
  const isRequest = message.kind === 'request';
  return (
    <dl class="facts">
      <dt>Direction</dt>
      <dd>{message.from === 'host' ? `host → ${plugin}` : `${plugin} → host`}</dd>
      <dt>Time</dt>
      <dd class="number">
        {clockTime(message.at)} <span class="faint">· number {message.seq}</span>
      </dd>
      <dt>Kind</dt>
      <dd>
        {message.kind}
        {id === undefined ? '' : ` · id ${JSON.stringify(id)}`}
        {size > 0 ? <span class="faint"> · {shortSize(size)}</span> : null}
      </dd>
      {partner === undefined || latencyMs === undefined ? null : (
        <>
          <dt>{isRequest ? 'Answered' : 'Took'}</dt>
          <dd>
            {isRequest ? 'after ' : ''}
            <strong class="number">{shortDuration(latencyMs)}</strong>{' '}
            <button
              type="button"
              class="link-button"
              title="Jump between request and response (o)"
              onClick={() => onChoose(partner)}
            >
              {isRequest ? 'its response' : 'its request'}
            </button>
          </dd>
        </>
      )}
    </dl>
  );
}

function Content({ text, size }: { readonly text: string | undefined; readonly size: number }) {
  const value = useMemo(() => (text === undefined ? undefined : parsedJson(text)), [text]);
  if (text === undefined)
    return <p class="soft">The content is not kept: too many messages came at once, or it is too old.</p>;
  if (value === undefined)
    return (
      <>
        {size > text.length ? <p class="soft">The message is long; this is its beginning.</p> : null}
        <pre class="said wire-raw">{visible(text)}</pre>
      </>
    );
  return (
    <>
      <JsonView value={value} openTo={3} />
      <details>
        <summary class="soft">As text</summary>
        <pre class="said">{visible(prettyJson(value))}</pre>
      </details>
    </>
  );
}
