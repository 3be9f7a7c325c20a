// For whoever has no cookie: how to get in.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, tokenIn, wordsOf } from '../api/client.ts';
import icon from '../icon.svg';
import { Command } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { useHost } from '../state/host-context.ts';

const WRONG =
  'This token does not let in. It may be that of another host, or of one whose state was cleared.';

export function Login() {
  const host = useHost();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isAsking, setAsking] = useState(false);
  // The host leads here from an address with a wrong token.
  const [problem, setProblem] = useState(host.route.value.page === 'refused' ? WRONG : undefined);
  useEffect(() => field.current?.focus(), []);
  const enter = async () => {
    const token = tokenIn(text);
    if (token === '' || isAsking) return;
    setAsking(true);
    try {
      await host.enter(token);
    } catch (error) {
      setProblem(error instanceof ApiError && error.status === 401 ? WRONG : wordsOf(error));
      field.current?.select();
    }
    setAsking(false);
  };
  return (
    <main class="login">
      <div class="panel">
        <img src={icon} alt="" />
        <h1>This console is locked</h1>
        <p class="soft">
          The host prints an address with a token in it when it starts. Open that address once in this
          browser, or paste it here; after that, this page opens by itself.
        </p>
        <form
          class="stack tight-stack"
          onSubmit={(event) => {
            event.preventDefault();
            void enter();
          }}
        >
          <label class="field-name" for="token">
            Token, or the whole address
          </label>
          <div class="row nowrap">
            <input
              id="token"
              ref={field}
              type="password"
              autocomplete="off"
              spellcheck={false}
              aria-invalid={problem !== undefined}
              aria-describedby="token-problem"
              value={text}
              onInput={({ currentTarget }) => {
                setText(currentTarget.value);
                setProblem(undefined);
              }}
            />
            <button type="submit" class="button primary" disabled={isAsking || text.trim() === ''}>
              <Icon name="lock" /> Unlock
            </button>
          </div>
          <p id="token-problem" class="bad-text" role="alert">
            {problem}
          </p>
        </form>
        <details>
          <summary class="soft">Where do I find it?</summary>
          <div class="stack login-help">
            <p class="soft">Start the host, and it prints the address:</p>
            <Command text="pluglot up" />
            <p class="soft">
              Where it runs already, the address is among its first lines. The token alone is also kept in the
              file <code>http-token</code> of its state folder: <code>~/.local/state/pluglot</code>, or{' '}
              <code>$PLUGLOT_HOME/state</code>.
            </p>
          </div>
        </details>
        <div>
          <button type="button" class="button plain" onClick={() => host.reconnect()}>
            <Icon name="restart" /> I have opened it, try again
          </button>
        </div>
      </div>
    </main>
  );
}
