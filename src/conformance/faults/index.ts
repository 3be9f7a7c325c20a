// What every plugin has to survive, whatever its specification says of it.
import type { DialectName } from '../../definition/plugin-spec.ts';
import type { Check } from '../check.ts';
import { driverOf } from '../drivers/index.ts';
import { endingFaults, goodbyeFaults, lossFaults } from './endings.ts';
import { framingFaults, lineFaults } from './framing.ts';
import { cancelFaults, inputFaults, livenessFaults, longCallFaults } from './liveness.ts';
import { argumentFaults, requestFaults } from './requests.ts';

export function faultChecks(dialect: DialectName): readonly Check[] {
  const { framing, argumentsIn, goodbye } = driverOf(dialect);
  return [
    ...framingFaults,
    ...(framing === 'lines' ? lineFaults : []),
    ...requestFaults.map((check) => (dialect === 'gassist' ? forGAssist(check) : check)),
    ...(argumentsIn === undefined ? [] : argumentFaults),
    ...longCallFaults,
    // gevals and planner have nothing that is answered at any time.
    ...(dialect === 'gevals' || dialect === 'planner' ? [] : livenessFaults),
    ...(dialect === 'mcp' ? cancelFaults : []),
    ...(dialect === 'gassist' ? inputFaults : []),
    ...endingFaults,
    ...(goodbye === undefined ? [] : goodbyeFaults),
    ...lossFaults,
  ];
}

/** Its own SDKs pass over methods that they do not know. */
function forGAssist(check: Check): Check {
  return check.id === 'fault:unknown-method' ? { ...check, severity: 'warning' } : check;
}
