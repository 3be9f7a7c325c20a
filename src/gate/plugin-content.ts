// Resources and prompts of plugins as targets of the gate.
import type { Clock } from '../base/clock.ts';
import { PluglotError, toError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { PendingCall } from '../definition/call.ts';
import type { PluginOrigin, ResolvedContent } from '../fleet/registry/contract.ts';

export interface PluginContent {
  readonly kind: 'resource' | 'prompt';
  readonly plugin: string;
  readonly origin: PluginOrigin;
  /** Whether clients are offered the plugin. */
  readonly isForClients: boolean;
  /** The address of a resource or the name of a prompt, as the plugin has it. */
  readonly id: string;
  /** Reads it from the plugin; what it throws fails the call. */
  get(): Promise<Json>;
}

export function resolvedContent(content: PluginContent, clock: Clock): ResolvedContent {
  const { kind, plugin, origin, isForClients, id } = content;
  const ownName = `${kind}:${id}`;
  const name = `${plugin}__${ownName}`;
  return {
    kind,
    name,
    ownName,
    plugin,
    origin,
    isForClients,
    call(_, options) {
      const held = new PendingCall({ id: options?.id ?? '', tool: name, clock, onCancel: () => {} });
      content.get().then(
        (data) => held.end({ ok: true, data }),
        (thrown: unknown) => {
          const { message } = toError(thrown);
          held.fail({ code: thrown instanceof PluglotError ? thrown.code : 'TOOL_FAILED', message });
        },
      );
      return held;
    },
  };
}
