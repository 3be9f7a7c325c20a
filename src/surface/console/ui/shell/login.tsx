// For whoever has no cookie: how to get in.
import { useEffect, useRef, useState } from 'preact/hooks';
import icon from '../icon.svg';
import { Command } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { codeIn } from '../state/entry.ts';
import { useHost } from '../state/host-context.ts';

export function Login() {
  const host = useHost();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isAsking, setAsking] = useState(false);
  const { value: problem } = host.refusal;
  useEffect(() => field.current?.focus(), []);
  const enter = async () => {
    const code = codeIn(text);
    if (code === '' || isAsking) return;
    setAsking(true);
    await host.enter(code);
    setAsking(false);
    field.current?.select();
  };
  return (
    <main class="login">
      <div class="panel">
        <img src={icon} alt="" />
        <h1>This console is locked</h1>
        <p class="soft">
          A link lets this browser in. It works once, within ten minutes; after that, this page opens by
          itself. Get one on the machine of the host, in the folder of the project:
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
            <button type="submit" class="button primary" disabled={isAsking || text.trim() === ''}>
              <Icon name="lock" /> Unlock
            </button>
          </div>
          <p id="link-problem" class="bad-text" role="alert">
            {problem}
          </p>
        </form>
        <div>
          <button type="button" class="button plain" onClick={() => host.reconnect()}>
            <Icon name="restart" /> I have opened it, try again
          </button>
        </div>
      </div>
    </main>
  );
}
