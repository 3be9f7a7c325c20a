// What goes on elsewhere: calls and conversations of pages that are not shown, and the way to end them.
import { longDuration } from '../lib/format.ts';
import { Icon } from '../parts/icon.tsx';
import { useHost } from '../state/host-context.ts';
import { linkTo } from '../state/route.ts';

const SHOWN = 6;

export function Tray() {
  const host = useHost();
  const { page, rest } = host.route.value;
  const here = linkTo(page, ...rest);
  const elsewhere = host.underWay.all.value.filter(({ href }) => href !== here);
  if (elsewhere.length === 0) return null;
  return (
    <section class="tray" aria-label="Under way">
      <ul>
        {elsewhere.slice(-SHOWN).map((one) => (
          <li key={one.key}>
            <span class="spinner" aria-hidden="true" />
            <a href={one.href}>{one.label}</a>
            <span class="faint number">{longDuration(host.now.value - one.startedAt)}</span>
            <button
              type="button"
              class="button plain icon-only"
              aria-label={`${one.endLabel} ${one.label}`}
              title={one.endLabel}
              onClick={() => one.end()}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
        {elsewhere.length > SHOWN ? <li class="faint">{elsewhere.length - SHOWN} more</li> : null}
      </ul>
    </section>
  );
}
