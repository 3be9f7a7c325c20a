// A place with nothing in it, and what would bring something.
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

export function Empty({
  icon,
  title,
  children,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
