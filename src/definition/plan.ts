// Requests and results of planners, executors and extractors, in neutral form.
import type { Json, JsonObject } from '../base/json.ts';

/** The kinds the protocol names; others are passed on as they are. */
export const taskTypes = ['code_generation', 'refactoring', 'analysis', 'testing'] as const;

export interface TaskRequest {
  readonly type: string;
  readonly prompt: string;
  readonly context?: TaskContext;
  readonly options?: TaskOptions;
  /** Whatever else came with it, here and below. */
  readonly more?: JsonObject;
}

export interface TaskContext {
  readonly files?: readonly string[];
  readonly currentDirectory?: string;
  readonly dependencies?: readonly string[];
  readonly constraints?: readonly Json[];
  /** The same for every attempt at one task, so that an executor can recognise a retry. */
  readonly idempotencyKey?: string;
  readonly more?: JsonObject;
}

export interface TaskOptions {
  readonly language?: string;
  readonly framework?: string;
  readonly styleGuide?: string;
  readonly more?: JsonObject;
}

export interface TaskResult {
  /** @default 'success' */
  readonly status?: string;
  readonly code?: string;
  readonly explanation?: string;
  readonly filesModified?: readonly string[];
  readonly filesCreated?: readonly string[];
  readonly metadata?: TaskMetadata;
  /** Whatever else stands in the output. */
  readonly more?: JsonObject;
}

export interface TaskMetadata {
  readonly executionTimeMs?: number;
  readonly tokensUsed?: number;
  readonly model?: string;
  readonly more?: JsonObject;
}

export interface PlanRequest {
  readonly userRequest: string;
  readonly currentState?: PlanState;
  readonly constraints?: PlanConstraints;
  readonly more?: JsonObject;
}

export interface PlanState {
  readonly completedTasks?: readonly Json[];
  readonly pendingTasks?: readonly Json[];
  readonly context?: JsonObject;
  readonly more?: JsonObject;
}

export interface PlanConstraints {
  readonly maxTasks?: number;
  readonly timeLimitSeconds?: number;
  readonly more?: JsonObject;
}

export interface Plan {
  readonly tasks: readonly PlanTask[];
  readonly estimatedTimeSeconds?: number;
  readonly explanation?: string;
  readonly more?: JsonObject;
}

export interface PlanTask {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  /** Ids of the tasks that come before it. @default none */
  readonly dependencies?: readonly string[];
  readonly priority?: number;
  readonly estimatedTimeSeconds?: number;
  readonly explanation?: string;
  readonly more?: JsonObject;
}

export interface CodeRequest {
  readonly code: string;
  readonly language?: string;
  readonly rules?: readonly string[];
  readonly more?: JsonObject;
}

export interface CodeVerdict {
  readonly valid: boolean;
  readonly findings: readonly Finding[];
  readonly more?: JsonObject;
}

export interface Finding {
  readonly rule: string;
  readonly line?: number;
  readonly column?: number;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly fix?: string;
  readonly more?: JsonObject;
}

export interface ContextUpdate {
  readonly action: 'add' | 'remove' | 'modify';
  readonly type: 'file' | 'dependency' | 'state';
  readonly data: JsonObject;
  readonly more?: JsonObject;
}

export interface FileType {
  readonly mimeType?: string;
  /** With its dot. */
  readonly extension?: string;
}

export interface Support {
  readonly supported: boolean;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly method?: string;
}

/** A file for an extractor. */
export interface ExtractionRequest {
  readonly source: ExtractSource;
  readonly type?: FileType | undefined;
  readonly options?: JsonObject;
}

export type ExtractSource =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** Which files an extractor takes. */
export interface FileTypes {
  /** MIME types. */
  readonly formats: readonly string[];
  /** Each with its dot. */
  readonly extensions: readonly string[];
}
