// Reads what it is sent and says nothing.
import process from 'node:process';

process.stderr.write('Loading a model of 40 GB.\n');
process.stdin.resume();
