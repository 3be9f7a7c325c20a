// The drivers of all dialects.
import type { DialectName } from '../../definition/plugin-spec.ts';
import type { Driver } from './driver.ts';
import { gassistDriver } from './gassist.ts';
import { gevalsDriver } from './gevals.ts';
import { mcpDriver } from './mcp.ts';
import { plannerDriver } from './planner.ts';
import { yamsDriver } from './yams.ts';

const drivers: Readonly<Record<DialectName, Driver>> = {
  gassist: gassistDriver,
  gevals: gevalsDriver,
  mcp: mcpDriver,
  planner: plannerDriver,
  yams: yamsDriver,
};

export function driverOf(dialect: DialectName): Driver {
  return drivers[dialect];
}
