// What is handed out to call a tool: it goes through the gate, whichever is there when it is called.
import type { Clock } from '../../base/clock.ts';
import type { Call } from '../plugin/call.ts';
import { HeldCall } from '../plugin/held-call.ts';
import type { Executor } from './contract.ts';
import type { CallGate } from './resolved.ts';

export interface ExecutorParts {
  readonly clock: Clock;
  readonly gate: () => CallGate | undefined;
  readonly nextCallId: () => string;
}

export function gatedExecutor(tool: string, parts: ExecutorParts): Executor {
  return (args, options) => {
    const gate = parts.gate();
    return gate === undefined
      ? denied(tool, parts)
      : gate.call(tool, args, { caller: { kind: 'model' }, ...options });
  };
}

function denied(tool: string, { clock, nextCallId }: ExecutorParts): Call {
  const call = new HeldCall({ id: nextCallId(), tool, clock, onCancel: () => {} });
  call.fail({
    code: 'PERMISSION_DENIED',
    message: `Nobody decides here whether "${tool}" may be called, so it is denied: the registry has no gate. Give it one with useGate().`,
  });
  return call;
}
