// The call as a command line, curl command or TypeScript program, shown before it is copied.
import { useState } from 'preact/hooks';
import type { JsonObject } from '../../../../../base/json.ts';
import { shellWord } from '../../../../../base/text.ts';
import { visible } from '../../lib/text.ts';
import { Button, Command, CopyButton } from '../../parts/buttons.tsx';
import { Dialog, Tabs } from '../../parts/layout.tsx';

interface CopyCallProps {
  readonly tool: string;
  readonly args: JsonObject;
}

export function CopyCall(props: CopyCallProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="plain" icon="copy" class="push" onClick={() => setOpen(true)}>
        Copy as …
      </Button>
      {isOpen ? <CopyDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function CopyDialog({ tool, args, onClose }: CopyCallProps & { readonly onClose: () => void }) {
  const [format, setFormat] = useState<'cli' | 'curl' | 'typescript'>('cli');
  const { origin } = location;
  const text =
    format === 'cli'
      ? asCommandLine(tool, args)
      : format === 'curl'
        ? asCurl(origin, tool, args)
        : asTypeScript(origin, tool, args);
  return (
    <Dialog title="Copy this call" name="copy-call" onClose={onClose}>
      <Tabs
        id="copy"
        label="Copy as"
        tabs={{ cli: 'CLI', curl: 'curl', typescript: 'TypeScript' }}
        chosen={format}
        onChoose={setFormat}
      />
      <pre class="said copy-text" tabIndex={0} aria-label="Text to copy">
        {visible(text)}
      </pre>
      {format === 'cli' ? (
        <p class="soft">Run it in the project folder to use the host that runs there.</p>
      ) : (
        <>
          <p class="soft">
            <code>PLUGLOT_TOKEN</code> is a token for the API. Calls with a token count as calls of a client:
            those that no rule allows have to be approved here.
          </p>
          <Command text="export PLUGLOT_TOKEN=$(pluglot tokens new mine --for api)" />
        </>
      )}
      <div>
        <CopyButton isMain label="Copy" text={text} />
      </div>
    </Dialog>
  );
}

/** `pluglot call weather '{"city":"Oslo"}'`. Names and values are quoted, so that nothing in them runs. */
export function asCommandLine(tool: string, args: JsonObject): string {
  const words = ['pluglot', 'call', tool];
  return [...words, ...(Object.keys(args).length === 0 ? [] : [JSON.stringify(args)])]
    .map(shellWord)
    .join(' ');
}

/** The token stays in the environment: this page never sees one. */
export function asCurl(origin: string, tool: string, args: JsonObject): string {
  return [
    `curl -sS -X POST ${shellWord(`${origin}/api/v1/tools/${encodeURIComponent(tool)}/call`)}`,
    `-H "Authorization: Bearer $PLUGLOT_TOKEN"`,
    `-H 'content-type: application/json'`,
    // Not --data, which reads a file where the text begins with an @.
    `--data-raw ${shellWord(JSON.stringify({ args }))}`,
  ].join(' \\\n  ');
}

export function asTypeScript(origin: string, tool: string, args: JsonObject): string {
  return [
    `import { connectRuntime } from 'pluglot';`,
    ``,
    `const runtime = await connectRuntime(${literal(origin)}, process.env.PLUGLOT_TOKEN ?? '');`,
    `const outcome = await runtime.call(${literal(tool)}, ${literal(args)});`,
    `console.log(outcome.ok ? (outcome.text ?? outcome.data) : outcome.error.message);`,
    `await runtime.close();`,
    ``,
  ].join('\n');
}

/** JSON is TypeScript, except that `__proto__` would set the prototype. */
function literal(value: JsonObject | string): string {
  return JSON.stringify(value, undefined, typeof value === 'string' ? undefined : 2).replaceAll(
    /"__proto__"(?=:)/g,
    '["__proto__"]',
  );
}
