// What the figures were measured on.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

export function describeMachine() {
  const [processor] = os.cpus();
  return {
    processor: processor?.model.trim() ?? 'unknown processor',
    cores: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    aloneOnOneProcessor: oneProcessor() !== undefined,
  };
}

/**
 * The part of the processors' time that is in use, 0 to 1.
 * @param {number} milliseconds
 */
export async function processorUse(milliseconds) {
  const before = processorTimes();
  await sleep(milliseconds);
  const after = processorTimes();
  return 1 - (after.idle - before.idle) / (after.all - before.all || 1);
}

function processorTimes() {
  let idle = 0;
  let all = 0;
  for (const { times } of os.cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { idle, all };
}

/**
 * Two processes that only wait for each other are fast on one processor and three times slower on two, and the
 * scheduler picks by chance. Bound to one (where Linux lets us), calls alone compare libraries and not luck.
 * @returns {string | undefined}
 */
export function oneProcessor() {
  if (process.platform !== 'linux') return undefined;
  const allowed = /^Cpus_allowed_list:.*?(\d+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  if (allowed === undefined) return undefined;
  return spawnSync('taskset', ['--cpu-list', allowed, 'true']).status === 0 ? allowed : undefined;
}
