// What is known of a plugin: as a table, its words for models, and all of it as JSON for those who want that.
import { useEffect, useState } from 'preact/hooks';
import type { Json } from '../../../../../base/json.ts';
import { part, wordsOf } from '../../api/client.ts';
import type { PluginDetails } from '../../api/types.ts';
import { visible } from '../../lib/visible.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Quoted } from '../../parts/quoted.tsx';
import { useHost } from '../../state/host-context.ts';
import { aboutFacts } from './about-facts.ts';

export function PluginAbout({ name }: { readonly name: string }) {
  const host = useHost();
  const [detail, setDetail] = useState<PluginDetails>();
  const [problem, setProblem] = useState<string>();
  const state = host.plugins.value.find((one) => one.name === name)?.state;
  useEffect(() => {
    const stop = new AbortController();
    host.api.get<PluginDetails>(`/plugins/${part(name)}`, stop.signal).then(setDetail, (error: unknown) => {
      if (!stop.signal.aborted) setProblem(wordsOf(error));
    });
    return () => stop.abort();
    // Whoever comes up says more of itself than before.
  }, [host, name, state]);
  if (problem !== undefined) return <p class="soft padded">{problem}</p>;
  if (detail === undefined) return <p class="faint padded">Loading …</p>;
  return (
    <div class="stack padded">
      <dl class="facts">
        {aboutFacts(detail).map(({ label, value, isCode = false }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {isCode ? <code>{visible(value)}</code> : visible(value)}
              {isCode ? <CopyButton text={value} label={`Copy: ${label}`} /> : null}
            </dd>
          </div>
        ))}
      </dl>
      {detail.instructions === undefined ? null : (
        <Quoted by={`${name} says to models`} text={detail.instructions} />
      )}
      <details class="raw">
        <summary class="soft">All of it as JSON</summary>
        {/* All of it came as JSON. */}
        <JsonView value={{ ...detail } as unknown as Json} openTo={1} />
      </details>
    </div>
  );
}
