// Why the system did not start a program, and what to do about it.
import { type ErrorCode, PluglotError } from '../../base/error.ts';
import { fail } from '../../definition/failure.ts';

/** The text of the system's error is left out: it may hold the arguments. @throws Failure always */
export function startFailure(error: Error): never {
  // Ours says what is wrong, as where the folder cannot be shown in the sandbox.
  if (error instanceof PluglotError) return fail({ code: error.code, message: error.message });
  const code = 'code' in error ? String(error.code) : error.name;
  const [kind, wayOut] = known.get(code) ?? ['UNAVAILABLE', 'Try it in a terminal.'];
  return fail({ code: kind, message: `The system refused to start it (${code}). ${wayOut}` });
}

const known: ReadonlyMap<string, readonly [ErrorCode, string]> = new Map([
  ['E2BIG', ['INVALID_ARGUMENTS', 'The command line is too long: write it to a file and run that.']],
  ['EACCES', ['INVALID_ARGUMENTS', 'It may not be executed here: look at its mode and its file system.']],
  ['EAGAIN', ['UNAVAILABLE', 'There are too many processes: end some, then try again.']],
  ['EMFILE', ['UNAVAILABLE', 'The host has too many files open: end some tasks, then try again.']],
  ['ENFILE', ['UNAVAILABLE', 'The system has too many files open: end some programs, then try again.']],
  [
    'ENOENT',
    ['REQUIREMENT_MISSING', 'It, the interpreter in its first line, or its folder is not there any more.'],
  ],
  ['ENOMEM', ['UNAVAILABLE', 'There is not enough memory: end some programs, then try again.']],
]);
