// The host, for every component below the page.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Host } from './host.ts';

export const HostContext = createContext<Host | undefined>(undefined);

export function useHost(): Host {
  const host = useContext(HostContext);
  if (host === undefined) throw new Error('This component stands outside of the page.');
  return host;
}
