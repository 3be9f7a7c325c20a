// All dialects: the driver of each, the checks of its specification, and the faults that every plugin has to survive.
import type { DialectName } from '../definition/plugin-spec.ts';
import type { Check } from './check.ts';
import type { Driver } from './driver.ts';
import { faultChecks } from './faults-lifetime.ts';
import {
  gassistCallChecks,
  gassistEndChecks,
  gassistErrorChecks,
  gassistInputChecks,
} from './gassist-calls.ts';
import {
  gassistDriver,
  gassistHandshakeChecks,
  gassistManifestChecks,
  gassistPingChecks,
} from './gassist.ts';
import {
  gevalsCallChecks,
  gevalsDriver,
  gevalsEndChecks,
  gevalsErrorChecks,
  gevalsManifestChecks,
  gevalsRealHostChecks,
} from './gevals.ts';
import { mcpPromptChecks, mcpToolChecks } from './mcp-tools.ts';
import { mcpDriver, mcpHandshakeChecks, mcpMeanwhileChecks } from './mcp.ts';
import { plannerStreamChecks, plannerTaskChecks, plannerValidationChecks } from './planner-tasks.ts';
import { plannerDriver, plannerErrorChecks, plannerHandshakeChecks, plannerPlanChecks } from './planner.ts';
import { yamsExtractorChecks } from './yams-extractor.ts';
import { yamsErrorChecks, yamsLifecycleChecks } from './yams-life.ts';
import { yamsDriver, yamsManifestChecks } from './yams.ts';

interface Dialect {
  readonly driver: Driver;
  /** In the order of the report. */
  readonly checks: readonly (readonly Check[])[];
}

const dialects: Readonly<Record<DialectName, Dialect>> = {
  gassist: {
    driver: gassistDriver,
    checks: [
      gassistManifestChecks,
      gassistHandshakeChecks,
      gassistPingChecks,
      gassistCallChecks,
      gassistErrorChecks,
      gassistInputChecks,
      gassistEndChecks,
    ],
  },
  gevals: {
    driver: gevalsDriver,
    checks: [
      gevalsManifestChecks,
      gevalsCallChecks,
      gevalsErrorChecks,
      gevalsEndChecks,
      gevalsRealHostChecks,
    ],
  },
  mcp: {
    driver: mcpDriver,
    checks: [mcpHandshakeChecks, mcpToolChecks, mcpMeanwhileChecks, mcpPromptChecks],
  },
  planner: {
    driver: plannerDriver,
    checks: [
      plannerHandshakeChecks,
      plannerTaskChecks,
      plannerValidationChecks,
      plannerStreamChecks,
      plannerPlanChecks,
      plannerErrorChecks,
    ],
  },
  yams: {
    driver: yamsDriver,
    checks: [yamsManifestChecks, yamsLifecycleChecks, yamsExtractorChecks, yamsErrorChecks],
  },
};

export function driverOf(dialect: DialectName): Driver {
  return dialects[dialect].driver;
}

export function checksOf(dialect: DialectName): readonly Check[] {
  const { driver, checks } = dialects[dialect];
  return [...checks.flat(), ...faultChecks(driver)];
}
