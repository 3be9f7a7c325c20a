// A definition at work in this process: checks what it is asked, runs the author's code, and sees that every question ends.
import { PluglotError } from '../../base/error.ts';
import type { Backend } from '../backend.ts';
import type { Definition } from '../definition.ts';
import { failureOf } from '../failure.ts';
import { commandsOf } from './commands.ts';
import { describeCall } from './describe-call.ts';
import { extractorOf } from './extractor.ts';
import { healthOf } from './health-of.ts';
import type { RunJob } from './job.ts';
import { Jobs } from './jobs.ts';
import { executorOf, plannerOf } from './planning.ts';
import { profileOf } from './profile-of.ts';
import { Readiness } from './readiness.ts';
import type { Surroundings } from './surroundings.ts';
import { takeDown } from './take-down.ts';
import { ToldInstructions } from './told-instructions.ts';
import { toolCalls } from './tool-calls.ts';

export function runDefinition(definition: Definition, surroundings: Surroundings): Backend {
  const { name, onInput, commands, extractor, planner, executor, updateContext } = definition;
  const life = new AbortController();
  const instructions = new ToldInstructions(definition);
  const readiness = new Readiness(definition, surroundings, life.signal, instructions);
  let profile = profileOf(definition, instructions.text);
  instructions.onChanged(() => {
    profile = profileOf(definition, instructions.text);
  });
  const jobs = new Jobs({ readiness, surroundings, canTalk: onInput !== undefined });
  const run: RunJob = (job, sink) => jobs.run(job, sink);
  let end: Promise<void> | undefined;
  return {
    get profile() {
      return profile;
    },
    onProfileChanged: (listener) => instructions.onChanged(listener),
    setup: (config) => readiness.setup(config),
    call: toolCalls(definition, surroundings, jobs),
    describe: describeCall(definition, surroundings),
    ...(onInput !== undefined && {
      talk: {
        input: (content, around, sink) =>
          run({ what: `Plugin "${name}"`, around, start: (context) => onInput(content, context) }, sink),
      },
    }),
    ...(commands.length > 0 && { commands: commandsOf(name, commands, run) }),
    ...(extractor !== undefined && { extractor: extractorOf(name, extractor, surroundings, run) }),
    ...(planner !== undefined && { planner: plannerOf(name, planner, run) }),
    ...(executor !== undefined && { executor: executorOf(name, executor, run) }),
    ...(updateContext !== undefined && {
      updateContext: async (update) => {
        await readiness.ready();
        try {
          await updateContext(update);
        } catch (thrown) {
          const { code, message } = failureOf(thrown);
          throw new PluglotError(code, message, { cause: thrown });
        }
      },
    }),
    health: () => healthOf(definition, readiness, surroundings),
    teardown: (why) => {
      end ??= takeDown(definition, { life, jobs, readiness, surroundings }, why);
      return end;
    },
  };
}
