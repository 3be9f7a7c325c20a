// Access of a fleet with its tokens in a folder of the test.
import { fleetAccess, type FleetAccess } from '../../src/fleet/access/fleet-access.ts';

export function accessFor(folder: string, openUrl?: (url: string) => void | Promise<void>): FleetAccess {
  return fleetAccess({ folder, ...(openUrl === undefined ? {} : { openUrl }) });
}
