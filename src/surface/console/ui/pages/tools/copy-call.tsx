// The call as something to paste elsewhere, seen before it is copied.
import { useState } from 'preact/hooks';
import type { JsonObject } from '../../../../../base/json.ts';
import { asCommandLine, asCurl, asTypeScript } from '../../lib/copy-as.ts';
import { visible } from '../../lib/visible.ts';
import { Command, CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Tabs } from '../../parts/tabs.tsx';

type Form = 'cli' | 'curl' | 'typescript';

export function CopyCall({ tool, args }: { readonly tool: string; readonly args: JsonObject }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button plain push" onClick={() => setOpen(true)}>
        <Icon name="copy" /> Copy as …
      </button>
      {isOpen ? <Elsewhere tool={tool} args={args} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function Elsewhere({
  tool,
  args,
  onClose,
}: {
  readonly tool: string;
  readonly args: JsonObject;
  readonly onClose: () => void;
}) {
  const [form, setForm] = useState<Form>('cli');
  const { origin } = location;
  const text =
    form === 'cli'
      ? asCommandLine(tool, args)
      : form === 'curl'
        ? asCurl(origin, tool, args)
        : asTypeScript(origin, tool, args);
  return (
    <Dialog title="This call elsewhere" name="copy-call" onClose={onClose}>
      <Tabs
        id="copy"
        label="Copy as"
        tabs={[
          { name: 'cli', label: 'CLI' },
          { name: 'curl', label: 'curl' },
          { name: 'typescript', label: 'TypeScript' },
        ]}
        chosen={form}
        onChoose={setForm}
      />
      <pre class="said copy-text" tabIndex={0} aria-label="What is copied">
        {visible(text)}
      </pre>
      {form === 'cli' ? (
        <p class="soft">In the folder of the project it uses the host that runs there.</p>
      ) : (
        <TokenNote />
      )}
      <div>
        <CopyButton isMain label="Copy" text={text} />
      </div>
    </Dialog>
  );
}

/** The page itself never sees the token. */
function TokenNote() {
  return (
    <>
      <p class="soft">
        <code>PLUGLOT_TOKEN</code> is a token that is for the API. Whoever calls with one is a client: what no
        rule allows is asked about here.
      </p>
      <Command text="export PLUGLOT_TOKEN=$(pluglot tokens new mine --for api)" />
    </>
  );
}
