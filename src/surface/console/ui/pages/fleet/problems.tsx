// What of the files could not be used, with the way out.
import { counted } from '../../lib/format.ts';
import { Command } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useHost } from '../../state/host-context.ts';
import { commandIn } from './facts.ts';

const SHOWN = 20;

export function Problems() {
  const problems = useHost().problems.value;
  if (problems.length === 0) return null;
  const hasErrors = problems.some(({ severity }) => severity === 'error');
  return (
    <details class={`callout ${hasErrors ? 'bad' : 'warn'}`} open={problems.length <= 3}>
      <summary>
        <Icon name="warning" /> {counted(problems.length, 'problem')} in the configuration
      </summary>
      <ul class="stack">
        {problems.slice(0, SHOWN).map(({ file, line, reason, wayOut, plugin }, index) => {
          const command = commandIn(wayOut);
          return (
            <li key={index} class="problem">
              <code>
                {file}
                {line === undefined ? '' : `:${line}`}
              </code>
              <span>
                {plugin === undefined ? '' : `${plugin}: `}
                {reason}. <span class="soft">{wayOut}</span>
              </span>
              {command === undefined ? null : <Command text={command} />}
            </li>
          );
        })}
        {problems.length > SHOWN ? (
          <li class="soft">… and {problems.length - SHOWN} more: `pluglot doctor` lists them all.</li>
        ) : null}
      </ul>
    </details>
  );
}
