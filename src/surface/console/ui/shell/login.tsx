// Shown without a valid cookie: how to get access.
import { useEffect, useRef, useState } from 'preact/hooks';
import icon from '../icon.svg';
import { Button, Command } from '../parts/buttons.tsx';
import { codeIn } from '../state/address.ts';
import { useHost } from '../state/host.ts';

export function Login() {
  const host = useHost();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isSending, setSending] = useState(false);
  const { value: problem } = host.refusal;
  useEffect(() => field.current?.focus(), []);
  const enter = async () => {
    const code = codeIn(text);
    if (code === '' || isSending) return;
    setSending(true);
    await host.enter(code);
    setSending(false);
    field.current?.select();
  };
  return (
    <main class="login">
      <div class="panel">
        <img src={icon} alt="" />
        <h1>This console is locked</h1>
        <p class="soft">
          A one-time link, valid for ten minutes, gives this browser access. Get one on the host's machine, in
          the project folder:
        </p>
        <Command text="pluglot console" />
        <form
          class="stack tight-stack"
          onSubmit={(event) => {
            event.preventDefault();
            void enter();
          }}
        >
          <label class="field-name" for="link">
            Open the link, or paste it here
          </label>
          <div class="row nowrap">
            <input
              id="link"
              ref={field}
              type="password"
              autocomplete="off"
              spellcheck={false}
              aria-invalid={problem !== undefined}
              aria-describedby="link-problem"
              value={text}
              onInput={({ currentTarget }) => {
                setText(currentTarget.value);
                host.refusal.value = undefined;
              }}
            />
            <Button type="submit" look="primary" icon="lock" disabled={isSending || text.trim() === ''}>
              Unlock
            </Button>
          </div>
          <p id="link-problem" class="bad-text" role="alert">
            {problem}
          </p>
        </form>
        <div>
          <Button look="plain" icon="restart" onClick={() => host.reconnect()}>
            I have opened the link, try again
          </Button>
        </div>
      </div>
    </main>
  );
}
