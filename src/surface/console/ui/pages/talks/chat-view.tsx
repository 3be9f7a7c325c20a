// A conversation, and how to leave it.
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { visible } from '../../lib/text.ts';
import { Button } from '../../parts/buttons.tsx';
import { MarkdownView } from '../../parts/quoted.tsx';
import { linkTo } from '../../state/address.ts';
import type { RunningCall } from '../../state/calls.ts';
import { useHost, useRefreshed } from '../../state/host.ts';
import { usePageKeys } from '../../state/page-keys.ts';
import { waitReason, type ChatLine, type ConsoleTalk } from './talk.ts';

interface ChatProps {
  readonly talk: ConsoleTalk;
  readonly draft: Signal<string>;
  readonly onLeave: () => void;
}

export function ChatView({ talk, draft, onLeave }: ChatProps) {
  const { status, lines, answer } = talk.state.value;
  const text = draft.value;
  const end = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const leave = useRef<HTMLButtonElement>(null);
  const isOver = status === 'ended';
  const isOffline = useHost().connection.value === 'lost';
  const canSend = status === 'listening' && !isOffline && text.trim() !== '';
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' });
  });
  useEffect(() => {
    if (status === 'listening') field.current?.focus();
    if (status === 'ended') leave.current?.focus();
  }, [status, isOffline]);
  usePageKeys((key, isTyping) => {
    if (key !== 'Escape') return false;
    // One key press must not end a conversation: it only focuses the button.
    if (isOver && !isTyping) onLeave();
    else leave.current?.focus();
    return true;
  });
  const send = () => {
    if (!canSend) return;
    draft.value = '';
    void talk.say(text);
  };
  return (
    <div class="chat panel">
      <div class="chat-lines" role="log" aria-label="Conversation" tabIndex={0}>
        {lines.map((line) => (
          <Bubble key={line.key} line={line} />
        ))}
        {status === 'starting' ? <Starting talk={talk} /> : null}
        {status === 'speaking' && answer !== undefined ? <Speaking answer={answer} /> : null}
        <div ref={end} />
      </div>
      <form
        class="chat-bar"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        {isOver ? (
          <button type="button" class="button primary" ref={leave} onClick={onLeave}>
            New conversation
          </button>
        ) : (
          <>
            <textarea
              ref={field}
              rows={1}
              value={text}
              aria-label="Your message"
              disabled={isOffline}
              placeholder={
                isOffline ? 'The host does not respond' : status === 'listening' ? 'Your message' : 'Wait …'
              }
              onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
                event.preventDefault();
                send();
              }}
            />
            <Button type="submit" look="primary" icon="send" disabled={!canSend}>
              Send
            </Button>
            <button
              type="button"
              class="button"
              ref={leave}
              title="Leave the conversation at any time"
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
        <span class="spinner" role="img" aria-label="The plugin is working" />
      ) : (
        <pre>{visible(text)}</pre>
      )}
    </div>
  );
}

function Bubble({ line: { by, text, isBad = false } }: { readonly line: ChatLine }) {
  if (by === 'page') return <p class={`chat-note ${isBad ? 'bad-text' : 'faint'}`}>{visible(text)}</p>;
  return (
    <div class={`bubble ${by}`}>
      <span class="unseen">{by === 'user' ? 'You: ' : 'The plugin: '}</span>
      {by === 'user' ? <pre>{text}</pre> : <MarkdownView text={text} />}
    </div>
  );
}

/** The host sends no event when another conversation with the plugin begins or ends. */
const REFRESH_MS = 1500;

function Starting({ talk }: { readonly talk: ConsoleTalk }) {
  const host = useHost();
  useRefreshed(() => host.refreshPlugins(), REFRESH_MS);
  const call = talk.state.value.answer?.state.value;
  const waitedMs = call === undefined ? 0 : host.now.value - call.startedAt;
  const reason = waitReason(talk, host.plugins.value, host.questions.value, waitedMs);
  return (
    <div class="chat-starting" role="status">
      <span class="spinner" aria-hidden="true" />
      <span>
        {reason === undefined ? (
          'Starting …'
        ) : reason.for === 'approval' ? (
          <>
            Waiting for approval: <a href={linkTo('approvals')}>answer it in Approvals</a>.
          </>
        ) : (
          reason.text
        )}
      </span>
    </div>
  );
}
