// One message in the list: a line, and where that is too narrow two.
import { clockTime, shortDuration, shortSize } from '../../lib/format.ts';
import { visible } from '../../lib/visible.ts';
import { Icon } from '../../parts/icon.tsx';
import { nameOf, type LoggedMessage } from './traffic-log.ts';

const GLIMPSE = 240;

export function MessageRow({
  message,
  isChosen,
  onChoose,
}: {
  readonly message: LoggedMessage;
  readonly isChosen: boolean;
  readonly onChoose: (position: number) => void;
}) {
  const isFromHost = message.from === 'host';
  return (
    <div
      id={`message-${message.position}`}
      class={`wire-row ${message.from} ${message.kind} ${isChosen ? 'is-chosen' : ''}`}
      role="option"
      aria-selected={isChosen}
      onClick={() => onChoose(message.position)}
    >
      <span class="wire-time">{clockTime(message.at)}</span>
      <span class="wire-way" title={isFromHost ? 'from the host' : 'from the plugin'}>
        {isFromHost ? '→' : '←'}
        <span class="unseen">{isFromHost ? 'from the host to ' : 'from '}</span>
      </span>
      <span class="wire-plugin">{message.plugin}</span>
      <span class="wire-name">
        {message.kind === 'failure' || message.kind === 'invalid' ? <Icon name="warning" /> : null}
        {nameOf(message)}
      </span>
      <span class="wire-id">{message.id === undefined ? '' : shortId(String(message.id))}</span>
      <span class="wire-took">{message.latencyMs === undefined ? '' : shortDuration(message.latencyMs)}</span>
      <span class="wire-size">{message.size === 0 ? '' : shortSize(message.size)}</span>
      <span class="wire-text">
        {message.text === undefined ? '' : visible(message.text.slice(0, GLIMPSE))}
      </span>
    </div>
  );
}

/** Those that count up differ at their end; the whole is in the detail. */
function shortId(id: string): string {
  return id.length <= ID_MAX ? id : `…${id.slice(1 - ID_MAX)}`;
}

const ID_MAX = 7;
