// For whoever has no cookie: how to get in.
import icon from '../icon.svg';
import { Command } from '../parts/copy-button.tsx';
import { useHost } from '../state/host-context.ts';

export function Login() {
  const host = useHost();
  return (
    <main class="login">
      <div class="panel">
        <img src={icon} alt="" />
        <h1>This console is locked</h1>
        <p class="soft">
          The host prints an address with a token in it when it starts. Open that address once in this
          browser; after that, this one works too.
        </p>
        <Command text="pluglot up" />
        <p class="soft">
          Where the host already runs, the address stands among the first lines that it printed.
        </p>
        <div>
          <button type="button" class="button primary" onClick={() => host.reconnect()}>
            Try again
          </button>
        </div>
      </div>
    </main>
  );
}
