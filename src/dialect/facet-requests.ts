// The arguments of tools that stand for facets, and what they ask for. They were checked against the schemas here before they are read.
import { extname } from 'node:path';
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../base/json.ts';
import type { ExtractSource, FileType } from '../definition/extraction.ts';
import type { CodeRequest, PlanRequest, TaskRequest } from '../definition/plan.ts';
import type { Tool } from '../definition/tool.ts';

type FacetTool = Tool & { readonly inputSchema: JsonObject };

const text = (description: string): JsonObject => ({ type: 'string', description });
const texts = (description: string): JsonObject => ({
  type: 'array',
  items: { type: 'string' },
  description,
});
const object = (description: string, properties: JsonObject = {}): JsonObject => ({
  type: 'object',
  description,
  properties,
});
const list = (description: string): JsonObject => ({ type: 'array', description });

export const extractTool: FacetTool = {
  name: 'extract',
  description: 'Takes text and metadata out of a file.',
  inputSchema: {
    type: 'object',
    properties: {
      path: text('Where the file is; just its name, where its content is given'),
      content: text('The bytes of the file, as base64'),
      mimeType: text('Its MIME type'),
      extension: text('Its extension, with the dot'),
      options: object('What the extractor should heed'),
    },
    required: ['path'],
  },
  hints: { readOnly: true },
};

export function readExtract(args: JsonObject): {
  readonly source: ExtractSource;
  readonly type: FileType;
  readonly options: JsonObject;
} {
  const { content, mimeType, options } = args;
  const path = textIn(args['path']);
  const extension = args['extension'] ?? (extname(path) || undefined);
  return {
    source:
      typeof content === 'string'
        ? { kind: 'bytes', bytes: Buffer.from(content, 'base64') }
        : { kind: 'path', path },
    type: { ...optional('mimeType', mimeType), ...optional('extension', extension) },
    options: objectIn(options),
  };
}

export const planTool: FacetTool = {
  name: 'create_plan',
  description: 'Breaks a request of the user down into tasks.',
  inputSchema: {
    type: 'object',
    properties: {
      userRequest: text('What the user wants'),
      currentState: object('Where things stand', {
        completedTasks: list('Tasks that are done'),
        pendingTasks: list('Tasks that are not'),
        context: object('Anything else'),
      }),
      constraints: object('Limits of the plan', {
        maxTasks: { type: 'number' },
        timeLimitSeconds: { type: 'number' },
      }),
    },
    required: ['userRequest'],
  },
};

export function readPlan({ userRequest, currentState, constraints }: JsonObject): PlanRequest {
  const { completedTasks, pendingTasks, context } = objectIn(currentState);
  const { maxTasks, timeLimitSeconds, ...more } = objectIn(constraints);
  return {
    userRequest: textIn(userRequest),
    ...(isJsonObject(currentState)
      ? {
          currentState: {
            ...(isJsonArray(completedTasks) ? { completedTasks } : {}),
            ...(isJsonArray(pendingTasks) ? { pendingTasks } : {}),
            ...(isJsonObject(context) ? { context } : {}),
          },
        }
      : {}),
    ...(isJsonObject(constraints)
      ? {
          constraints: {
            ...(typeof maxTasks === 'number' ? { maxTasks } : {}),
            ...(typeof timeLimitSeconds === 'number' ? { timeLimitSeconds } : {}),
            ...whatElse(more),
          },
        }
      : {}),
  };
}

export const taskTool: FacetTool = {
  name: 'execute_task',
  description: 'Does one task, such as writing or changing code.',
  inputSchema: {
    type: 'object',
    properties: {
      type: text('What kind of task it is: code_generation, refactoring, analysis, testing'),
      prompt: text('What is to be done'),
      context: object('What surrounds the task', {
        files: texts('Files that matter'),
        currentDirectory: text('Where to work'),
        dependencies: texts('Ids of the tasks that came before'),
        constraints: list('What has to hold'),
        idempotencyKey: text('The same for every attempt'),
      }),
      options: object('How it is to be done', {
        language: text('The language of the code'),
        framework: text('The framework of the code'),
        styleGuide: text('The style of the code'),
      }),
    },
    required: ['type', 'prompt'],
  },
};

export function readTask({ type, prompt, context, options }: JsonObject): TaskRequest {
  const { files, currentDirectory, dependencies, constraints, idempotencyKey, ...around } = objectIn(context);
  const { language, framework, styleGuide, ...more } = objectIn(options);
  return {
    type: textIn(type),
    prompt: textIn(prompt),
    ...(isJsonObject(context)
      ? {
          context: {
            ...(isJsonArray(files) ? { files: textsIn(files) } : {}),
            ...optional('currentDirectory', currentDirectory),
            ...(isJsonArray(dependencies) ? { dependencies: textsIn(dependencies) } : {}),
            ...(isJsonArray(constraints) ? { constraints } : {}),
            ...optional('idempotencyKey', idempotencyKey),
            ...whatElse(around),
          },
        }
      : {}),
    ...(isJsonObject(options)
      ? {
          options: {
            ...optional('language', language),
            ...optional('framework', framework),
            ...optional('styleGuide', styleGuide),
            ...whatElse(more),
          },
        }
      : {}),
  };
}

export const validateTool: FacetTool = {
  name: 'validate_code',
  description: 'Looks for mistakes in code.',
  inputSchema: {
    type: 'object',
    properties: {
      code: text('The code'),
      language: text('Its language'),
      rules: texts('The rules that it should keep'),
    },
    required: ['code'],
  },
  hints: { readOnly: true },
};

export function readCode({ code, language, rules }: JsonObject): CodeRequest {
  return {
    code: textIn(code),
    ...optional('language', language),
    ...(isJsonArray(rules) ? { rules: textsIn(rules) } : {}),
  };
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function optional<Key extends string>(key: Key, value: Json | undefined): { [key in Key]?: string } {
  // The key is the one of the type, which a computed name does not keep.
  return typeof value === 'string' ? ({ [key]: value } as { [key in Key]?: string }) : {};
}

function whatElse(more: JsonObject): { more?: JsonObject } {
  return Object.keys(more).length === 0 ? {} : { more };
}
