// The conversation itself, and the way out of it.
import { useEffect, useRef } from 'preact/hooks';
import type { Signal } from '@preact/signals';
import { visible } from '../../lib/visible.ts';
import { Icon } from '../../parts/icon.tsx';
import { MarkdownView } from '../../parts/markdown-view.tsx';
import { useHost } from '../../state/host-context.ts';
import { usePageKeys } from '../../state/page-keys.ts';
import type { RunningCall } from '../../state/running-call.ts';
import { Starting } from './starting.tsx';
import type { ConsoleTalk, Said } from './talk.ts';

export function ChatView({
  talk,
  typed,
  onLeave,
}: {
  readonly talk: ConsoleTalk;
  readonly typed: Signal<string>;
  readonly onLeave: () => void;
}) {
  const { status, said, answer } = talk.state.value;
  const text = typed.value;
  const end = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const leave = useRef<HTMLButtonElement>(null);
  const isOver = status === 'ended';
  const isAway = useHost().connection.value === 'lost';
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' });
  });
  useEffect(() => {
    if (status === 'listening') field.current?.focus();
    if (status === 'ended') leave.current?.focus();
  }, [status, isAway]);
  usePageKeys((key, isTyping) => {
    if (key !== 'Escape') return false;
    // One key alone ends no conversation: it leads to the way out.
    if (isOver && !isTyping) onLeave();
    else leave.current?.focus();
    return true;
  });
  const say = () => {
    if (status !== 'listening' || isAway || text.trim() === '') return;
    typed.value = '';
    void talk.say(text);
  };
  return (
    <div class="chat panel">
      <div class="chat-lines" role="log" aria-label="The conversation" tabIndex={0}>
        {said.map((one) => (
          <Bubble key={one.key} said={one} />
        ))}
        {status === 'starting' ? <Starting talk={talk} /> : null}
        {status === 'speaking' && answer !== undefined ? <Speaking answer={answer} /> : null}
        <div ref={end} />
      </div>
      <form
        class="chat-bar"
        onSubmit={(event) => {
          event.preventDefault();
          say();
        }}
      >
        {isOver ? (
          <button type="button" class="button primary" ref={leave} onClick={onLeave}>
            Another conversation
          </button>
        ) : (
          <>
            <textarea
              ref={field}
              rows={1}
              value={text}
              aria-label="What you say"
              disabled={isAway}
              placeholder={isAway ? 'The host is away' : status === 'listening' ? 'Say something' : 'Wait …'}
              onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
                event.preventDefault();
                say();
              }}
            />
            <button
              type="submit"
              class="button primary"
              disabled={status !== 'listening' || isAway || text.trim() === ''}
            >
              <Icon name="send" /> Say
            </button>
            <button
              type="button"
              class="button"
              ref={leave}
              title="Leave the conversation, whatever the plugin wants"
              onClick={() => void talk.end()}
            >
              Leave
            </button>
          </>
        )}
      </form>
    </div>
  );
}

function Speaking({ answer }: { readonly answer: RunningCall }) {
  const { text } = answer.state.value;
  return (
    <div class="bubble plugin" aria-busy="true">
      {text === '' ? (
        <span class="spinner" role="img" aria-label="The plugin thinks" />
      ) : (
        <pre>{visible(text)}</pre>
      )}
    </div>
  );
}

function Bubble({ said: { by, text, isBad = false } }: { readonly said: Said }) {
  if (by === 'page') return <p class={`chat-note ${isBad ? 'bad-text' : 'faint'}`}>{visible(text)}</p>;
  return (
    <div class={`bubble ${by}`}>
      <span class="unseen">{by === 'user' ? 'You: ' : 'The plugin: '}</span>
      {by === 'user' ? <pre>{text}</pre> : <MarkdownView text={text} />}
    </div>
  );
}
