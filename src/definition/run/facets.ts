// Planner, executor, extractor and health check of a definition.
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import { isJsonArray, isJsonObject, type Json } from '../../base/json.ts';
import { shown } from '../../base/text.ts';
import { late, within } from '../../base/async.ts';
import type { ExecutorPort, ExtractorPort, PlannerPort, TaskHost } from '../plugin-port.ts';
import {
  declaredBy,
  type ExecutorDefinition,
  type HandlerContext,
  type PlannerDefinition,
  type ExtractorDefinition,
  type Definition,
} from '../definition.ts';
import type { ExtractSource, FileType, Support } from '../plan.ts';
import { Failure, failureOf } from '../failure.ts';
import type { Health } from '../manifest.ts';
import type { AnswerContent } from '../outcome.ts';
import { contentOf } from './handler-context.ts';
import type { RunJob } from './jobs.ts';
import { plainJson } from './plain-json.ts';
import type { PluginHost } from './plugin-host.ts';
import type { Readiness } from './readiness.ts';

export function plannerOf(plugin: string, { createPlan }: PlannerDefinition, run: RunJob): PlannerPort {
  const what = `The planner of plugin "${plugin}"`;
  return {
    createPlan: (request, sink, info) => {
      const host = info?.host ?? noTaskHost(plugin);
      const start = (context: HandlerContext) => createPlan(request, Object.assign(context, { host }));
      return run({ what, info, start, read: (returned) => planOf(returned, what) }, sink);
    },
  };
}

export function executorOf(
  plugin: string,
  { executeTask, validateCode }: ExecutorDefinition,
  run: RunJob,
): ExecutorPort {
  const what = `The executor of plugin "${plugin}"`;
  return {
    executeTask: (request, sink, info) =>
      run(
        {
          what,
          info,
          start: (context) => executeTask(request, context),
          read: (returned) => taskResultOf(returned, what),
        },
        sink,
      ),
    ...(validateCode === undefined
      ? {}
      : {
          validateCode: (request, sink, info) =>
            run(
              {
                what,
                info,
                start: (context) => validateCode(request, context),
                read: (returned) => verdictOf(returned, what),
              },
              sink,
            ),
        }),
  };
}

function noTaskHost(plugin: string): TaskHost {
  const refuse = () =>
    Promise.reject(
      new PluglotError('UNAVAILABLE', `The host of plugin "${plugin}" does no tasks for planners.`),
    );
  return { executeTask: refuse, validateCode: refuse };
}

function planOf(returned: unknown, what: string): AnswerContent {
  const content = contentOf(returned, what);
  const tasks = isJsonObject(content.data) ? content.data['tasks'] : undefined;
  if (isJsonArray(tasks) && tasks.every(isTask)) return content;
  throw unexpected(what, content, 'a plan: { tasks: [{ id, type, description, dependencies? }] }');
}

function isTask(task: Json): boolean {
  return isJsonObject(task) && ['id', 'type', 'description'].every((key) => typeof task[key] === 'string');
}

/** A text alone is the explanation. */
function taskResultOf(returned: unknown, what: string): AnswerContent {
  if (typeof returned === 'string') return { data: { explanation: returned } };
  const content = contentOf(returned, what);
  if (content.data === undefined) return { ...content, data: {} };
  if (isJsonObject(content.data)) return content;
  throw unexpected(what, content, 'a task result: { code?, explanation?, filesModified?, filesCreated? }');
}

function verdictOf(returned: unknown, what: string): AnswerContent {
  const content = contentOf(returned, what);
  const { data } = content;
  if (isJsonObject(data) && typeof data['valid'] === 'boolean' && isJsonArray(data['findings']))
    return content;
  throw unexpected(what, content, 'a verdict: { valid, findings }');
}

function unexpected(what: string, { data, text }: AnswerContent, expected: string): Failure {
  return new Failure({
    code: 'INTERNAL',
    message: `${what} answered with ${shown(data ?? text)}; expected ${expected}.`,
  });
}

type Ports = Pick<PluginHost, 'readFile' | 'clock' | 'log'>;

export function extractorOf(
  plugin: string,
  extractor: ExtractorDefinition,
  ports: Ports,
  run: RunJob,
): ExtractorPort {
  const what = `The extractor of plugin "${plugin}"`;
  return {
    supports: (type) => supportOf(extractor, type, ports),
    extract: ({ source, type = {}, options = {} }, sink, info) =>
      run(
        {
          what,
          info,
          start: async (context) => {
            const known = typeOf(source, type);
            // Whether a file of unknown type is supported shows only when it is extracted.
            const isKnown = known.mimeType !== undefined || known.extension !== undefined;
            if (isKnown && !(await supportOf(extractor, known, ports)).supported)
              throw unsupported(what, extractor, known);
            const read = async () => (source.kind === 'bytes' ? source.bytes : ports.readFile(source.path));
            return extractor.extract({ source, read, type: known, options }, context);
          },
          read: (returned) => extractionOf(returned, what),
        },
        sink,
      ),
  };
}

/** Hosts give up on this question after 3 s. */
const SUPPORT_MS = 2500;

/** An author's own `supports` that fails, or takes too long, leaves it to formats and extensions. */
async function supportOf(extractor: ExtractorDefinition, type: FileType, ports: Ports): Promise<Support> {
  const { supports } = extractor;
  if (supports === undefined) return usualSupport(extractor, type);
  try {
    const answer = await within((async () => supports(type))(), SUPPORT_MS, ports.clock);
    if (answer !== late)
      return typeof answer === 'object' ? answer : { supported: answer, confidence: answer ? 1 : 0 };
    ports.log({ level: 'warn', message: `supports() takes longer than ${SUPPORT_MS} ms.` });
  } catch (thrown) {
    ports.log({ level: 'warn', message: `supports() failed: ${failureOf(thrown).message}` });
  }
  return usualSupport(extractor, type);
}

function usualSupport(extractor: ExtractorDefinition, type: FileType): Support {
  const method = declaredBy(extractor, type);
  if (method === undefined) return { supported: false, confidence: 0 };
  return { supported: true, confidence: method === 'mime_type' ? 1 : 0.9, method };
}

/** The extension of the path, where no other is given. */
function typeOf(source: ExtractSource, type: FileType): FileType {
  if (source.kind !== 'path' || type.extension !== undefined) return type;
  const extension = path.extname(source.path);
  return extension === '' ? type : { ...type, extension };
}

function unsupported(what: string, { formats, extensions }: ExtractorDefinition, type: FileType): Failure {
  const given = [type.mimeType, type.extension].filter((word) => word !== undefined).join(', ');
  return new Failure({
    code: 'UNSUPPORTED',
    message: `${what} takes ${[...formats, ...extensions].join(', ')}; got ${given || 'a file of unknown type'}.`,
    reason: 'UnsupportedFormat',
    data: { supported_formats: [...formats] },
  });
}

/** Authors return the text, or an object with the text and whatever else they found. */
function extractionOf(returned: unknown, what: string): AnswerContent {
  const content = contentOf(returned, what);
  if (content.text !== undefined || !isJsonObject(content.data)) return content;
  const { text, ...rest } = content.data;
  if (typeof text !== 'string') return content;
  return Object.keys(rest).length === 0 ? { text } : { text, data: rest };
}

/** Hosts give up on a health check after 3 s. */
const HEALTH_MS = 2500;

/** For every backend: answers in time and never rejects. */
export async function limitedHealth(
  name: string,
  check: () => Promise<Health>,
  clock: Clock,
): Promise<Health> {
  try {
    const health = await within(check(), HEALTH_MS, clock);
    if (health !== late) return health;
    return {
      status: 'degraded',
      message: `The health check of plugin "${name}" takes longer than ${HEALTH_MS} ms.`,
    };
  } catch (thrown) {
    return { status: 'error', message: failureOf(thrown).message };
  }
}

export async function healthOf(
  { name, health }: Definition,
  readiness: Readiness,
  { clock }: PluginHost,
): Promise<Health> {
  if (readiness.failure !== undefined) return { status: 'error', message: readiness.failure };
  if (health === undefined) return { status: 'ok' };
  return limitedHealth(name, async () => readHealth(name, await health()), clock);
}

function readHealth(name: string, result: unknown): Health {
  const plain = plainJson(result, 'it');
  const { status, message, details } = 'json' in plain && isJsonObject(plain.json) ? plain.json : {};
  if (status !== 'ok' && status !== 'degraded' && status !== 'error')
    return {
      status: 'error',
      message: `The health check of plugin "${name}" gave ${shown(result)}; expected { status: "ok" | "degraded" | "error" }.`,
    };
  return {
    status,
    ...(typeof message === 'string' ? { message } : {}),
    ...(details === undefined ? {} : { details }),
  };
}
