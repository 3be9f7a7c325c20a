// A host as commands see it: one of their own, or a running `pluglot up`. Either way it is asked as any runtime is.
import type { PluginView, RuntimeApi } from '../../../runtime/api.ts';

export interface Host extends Omit<RuntimeApi, 'close'> {
  /** What takes too long after the user has interrupted is cut short. */
  close(signal?: AbortSignal): Promise<void>;
}

/** Those that somebody has brought here. */
export function withoutBuiltIns(views: readonly PluginView[]): readonly PluginView[] {
  return views.filter(({ origin }) => origin !== 'built-in');
}

export interface HostOptions {
  readonly dialect?: string;
  /** Whoever asks for them tells them. @default true */
  readonly tellsProblems?: boolean;
  /** The built-in plugins are wanted too; a running `up` has them anyway. @default when one is named */
  readonly builtIns?: boolean;
}
