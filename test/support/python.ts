// Whether fixture programs in Python can run here.
import { spawnSync } from 'node:child_process';

export const hasPython: boolean = spawnSync('python3', ['--version']).status === 0;

// A word, not silence: a machine without Python tests less.
if (!hasPython) process.stderr.write('There is no python3: the plugins written in Python are not tested.\n');
