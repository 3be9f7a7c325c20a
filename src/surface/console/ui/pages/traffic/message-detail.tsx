// One message in full, with its other half and how long that took.
import { useMemo } from 'preact/hooks';
import { clockTime, shortDuration, shortSize } from '../../lib/format.ts';
import { parsedJson, prettyJson } from '../../lib/json-node.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { visible } from '../../lib/visible.ts';
import { useHost } from '../../state/host-context.ts';
import { nameOf, type LoggedMessage } from './traffic-log.ts';

export function MessageDetail({
  position,
  onChoose,
  onMove,
}: {
  readonly position: number;
  readonly onChoose: (position: number | undefined) => void;
  readonly onMove: (by: number) => void;
}) {
  const { traffic: store } = useHost();
  // A response may come while its request is looked at.
  void store.version.value;
  const message = store.at(position);
  return (
    <section class="wire-detail panel" aria-label="The chosen message">
      <div class="row">
        <button
          type="button"
          class="button plain icon-only"
          aria-label="Close"
          title="Close (Esc)"
          onClick={() => onChoose(undefined)}
        >
          <Icon name="close" />
        </button>
        <h2>{message === undefined ? 'Gone' : nameOf(message)}</h2>
        <span class="row tight nowrap push">
          {message?.text === undefined ? null : <CopyButton text={message.text} label="Copy the message" />}
          <button
            type="button"
            class="button plain icon-only turn-up"
            aria-label="The message before"
            title="The message before (k, ↑)"
            onClick={() => onMove(-1)}
          >
            <Icon name="chevron" />
          </button>
          <button
            type="button"
            class="button plain icon-only turn-down"
            aria-label="The message after"
            title="The message after (j, ↓)"
            onClick={() => onMove(1)}
          >
            <Icon name="chevron" />
          </button>
        </span>
      </div>
      {message === undefined ? (
        <p class="soft">It is too long ago: newer messages have taken its place.</p>
      ) : (
        <Message message={message} onChoose={onChoose} />
      )}
    </section>
  );
}

function Message({
  message,
  onChoose,
}: {
  readonly message: LoggedMessage;
  readonly onChoose: (position: number) => void;
}) {
  const { partner } = message;
  return (
    <>
      <dl class="facts">
        <dt>Way</dt>
        <dd>{message.from === 'host' ? `host → ${message.plugin}` : `${message.plugin} → host`}</dd>
        <dt>When</dt>
        <dd class="number">
          {clockTime(message.at)} <span class="faint">· number {message.seq}</span>
        </dd>
        <dt>Kind</dt>
        <dd>
          {message.kind}
          {message.id === undefined ? '' : ` · id ${JSON.stringify(message.id)}`}
          {message.size > 0 ? <span class="faint"> · {shortSize(message.size)}</span> : null}
        </dd>
        {partner === undefined || message.latencyMs === undefined ? null : (
          <>
            <dt>{message.kind === 'request' ? 'Answered' : 'Took'}</dt>
            <dd>
              {message.kind === 'request' ? 'after ' : ''}
              <strong class="number">{shortDuration(message.latencyMs)}</strong>{' '}
              <button
                type="button"
                class="link-button"
                title="The other half (o)"
                onClick={() => onChoose(partner)}
              >
                {message.kind === 'request' ? 'its response' : 'its request'}
              </button>
            </dd>
          </>
        )}
      </dl>
      <Content text={message.text} size={message.size} />
    </>
  );
}

function Content({ text, size }: { readonly text: string | undefined; readonly size: number }) {
  const value = useMemo(() => (text === undefined ? undefined : parsedJson(text)), [text]);
  if (text === undefined)
    return (
      <p class="soft">
        Its content is not kept: more came at once than anybody could read, or it is too long ago.
      </p>
    );
  if (value === undefined)
    return (
      <>
        {size > text.length ? <p class="soft">It is long; this is its beginning.</p> : null}
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
