// Sends back what it is sent.
import process from 'node:process';

process.stdin.on('data', (chunk) => process.stdout.write(chunk));
process.stdin.on('end', () => process.exit());
