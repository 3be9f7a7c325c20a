// Tells the form what cannot be sent as it stands, for as long as it stands there: wherever it is moved to, and no longer than it is shown.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { FormPorts } from './form-ports.ts';
import type { Path } from './value.ts';

export function useUnreadable(
  ports: Pick<FormPorts, 'unreadable'>,
  path: Path,
  problem: string | undefined,
): void {
  const owner = useRef({}).current;
  const { unreadable } = ports;
  useLayoutEffect(() => {
    unreadable(owner, problem === undefined ? undefined : { path, problem, isToldThere: true });
  }, [unreadable, owner, JSON.stringify(path), problem]);
  useLayoutEffect(() => () => unreadable(owner, undefined), [unreadable, owner]);
}
