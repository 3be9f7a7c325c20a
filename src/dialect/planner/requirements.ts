// What the planner protocol demands, section by section, and how its gaps are filled. Most of it concerns both ends: what the host
// sends and reads, and what an author end reads and sends (`served-…`).
import type { Requirement } from '../../base/requirement.ts';

type Demands = Readonly<Record<string, string>>;

const messages: Readonly<Record<string, Demands>> = {
  base: { request: 'A request has jsonrpc "2.0", method, params and id.' },
  execute: {
    direction: 'execute_task goes to an executor.',
    'request-example': 'The example of the request.',
    'response-example': 'The example of the response.',
    'string-id': 'Ids may be strings such as "task_001", and are given back as they came.',
    'task-type-code-generation': 'task_type may be code_generation.',
    'task-type-refactoring': 'task_type may be refactoring.',
    'task-type-analysis': 'task_type may be analysis.',
    'task-type-testing': 'task_type may be testing.',
    prompt: 'prompt: a detailed description of the task.',
    'context-files': 'context.files: names of files.',
    'context-current-directory': 'context.current_directory: where the work is done.',
    'context-dependencies': 'context.dependencies: names of packages.',
    'context-constraints': 'context.constraints: a list.',
    'options-language': 'options.language.',
    'options-framework': 'options.framework.',
    'options-style-guide': 'options.style_guide.',
    status: 'status of the result: "success".',
    'output-code': 'output.code: what was generated.',
    'output-explanation': 'output.explanation: what was done and why.',
    'output-files-modified': 'output.files_modified: a list of files.',
    'output-files-created': 'output.files_created: a list of files.',
    'metadata-execution-time-ms': 'metadata.execution_time_ms.',
    'metadata-tokens-used': 'metadata.tokens_used.',
    'metadata-model': 'metadata.model.',
  },
  plan: {
    direction: 'create_plan goes to a planner.',
    'request-example': 'The example of the request.',
    'response-example': 'The example of the response.',
    'user-request': 'user_request: what the user asked for.',
    'state-completed-tasks': 'current_state.completed_tasks: a list.',
    'state-pending-tasks': 'current_state.pending_tasks: a list.',
    'state-context': 'current_state.context: an object.',
    'constraints-max-tasks': 'constraints.max_tasks.',
    'constraints-time-limit-seconds': 'constraints.time_limit_seconds.',
    tasks: 'plan.tasks: a list of tasks.',
    'task-id': 'id of a task.',
    'task-type': 'type of a task.',
    'task-description': 'description of a task.',
    'task-dependencies': 'dependencies of a task: ids of others.',
    'task-priority': 'priority of a task.',
    'estimated-time-seconds': 'plan.estimated_time_seconds.',
    explanation: 'plan.explanation: its rationale.',
  },
  validate: {
    direction: 'validate_code goes to an executor.',
    'request-example': 'The example of the request.',
    code: 'code: what is to be validated.',
    language: 'language of the code.',
    rules: 'rules: names of rules.',
    answer: 'The answer is { valid, findings: [{ rule, line, column, severity, message, fix? }] }.',
  },
  context: {
    direction: 'update_context goes to all.',
    'request-example': 'The example of the request.',
    'action-add': 'action may be add.',
    'action-remove': 'action may be remove.',
    'action-modify': 'action may be modify.',
    'type-file': 'context_type may be file.',
    'type-dependency': 'context_type may be dependency.',
    'type-state': 'context_type may be state.',
    data: 'data: an object.',
    answer: 'The answer is { status: "ok" }.',
  },
  errors: {
    example: 'The example of an error.',
    'type-timeout': 'data.type may be TIMEOUT.',
    'type-parse-error': 'data.type may be PARSE_ERROR.',
    'type-execution-error': 'data.type may be EXECUTION_ERROR.',
    details: 'data.details: what happened in detail.',
    'stack-trace': 'data.stack_trace is read always and sent only for those who debug.',
    'recovery-suggestions': 'data.recovery_suggestions: a list.',
    'parse-error': '-32700: the JSON is invalid.',
    'invalid-request': '-32600: the request object is invalid.',
    'method-not-found': '-32601: the method does not exist.',
    'invalid-params': '-32602: the params are invalid.',
    'internal-error': '-32603: an internal error.',
    'execution-timeout': '-32000: the execution of a task timed out, or failed as data.type says.',
    'resource-unavailable': '-32001: a resource is not available.',
    'rate-limit-exceeded': '-32002: a rate limit was hit.',
    'authentication-failed': '-32003: the credentials are invalid.',
  },
  stream: {
    'long-running': 'Work that takes long may be streamed before its response.',
    'start-example': 'The example of stream_start.',
    'data-example': 'The example of stream_data.',
    'end-example': 'The example of stream_end.',
    'stream-id': 'stream_id: the same in all messages of a stream.',
    'task-id': 'task_id: the id of the request.',
    chunk: 'chunk: a piece of the output.',
    sequence: 'sequence: counts the chunks from 1.',
    'total-chunks': 'total_chunks: how many there were.',
  },
  batch: {
    array: 'Several requests may be sent as an array.',
    example: 'The example of a batch.',
  },
  performance: {
    'message-size': 'A single message stays under 1 MB; up to 16 MiB are taken, with a warning.',
    compression:
      'What is large is packed with gzip, where both ends know it; otherwise it is refused before sending.',
    'timeout-default': 'The time limit is 30 s by default.',
    'timeout-per-request': 'A request may have a time limit of its own.',
    'retry-key': 'All attempts at a task have the same idempotency key.',
    'retry-id': 'The second attempt at task_001 has the id task_001#2.',
  },
  security: {
    'schema-validation': 'All messages are validated.',
    'input-sanitization': 'Nothing that comes is trusted to be what it should be.',
    authentication: 'HMAC-SHA256 signatures, optionally.',
    'auth-example': 'The example of auth: a timestamp and a signature in base64.',
    'auth-canonical': 'Signed is the canonical JSON of the message without auth, joined to the timestamp.',
    'auth-replay': 'What is old or was sent before is not taken.',
  },
  monitoring: {
    latency: 'How long a request took is logged.',
    'error-rates': 'How a request failed is logged, by type.',
    'request-volume': 'Every request is logged.',
    'payload-sizes': 'The size of a request is logged.',
    'retry-counts': 'Which attempt it is is logged.',
    'log-timestamp': 'timestamp of a log line: when it was, as ISO 8601.',
    'log-level': 'level of a log line, such as INFO.',
    'log-message': 'message of a log line: "RPC Request".',
    'log-data-method': 'data.method: what was asked.',
    'log-data-id': 'data.id: the id of the request.',
    'log-data-duration-ms': 'data.duration_ms: how long it took.',
    'log-data-status': 'data.status: how it ended, such as "success".',
    'log-example': 'The example of a log line.',
  },
  discover: {
    question: 'rpc.discover is answered with { roles, methods, gzip, batch, auth }.',
    unlisted:
      'What does not know rpc.discover is a plain end: no gzip, no outgoing batches, roles from the configuration.',
    tools: 'Tools of the plugin are methods of their own.',
    config: 'The configuration of the plugin goes along with the question.',
  },
  upward: {
    execute: 'A planner may send execute_task up its pipe.',
    validate: 'A planner may send validate_code up its pipe.',
    refused: 'A host without an executor answers with -32601.',
    stream: 'Streams go in that direction as well.',
  },
  snippets: {
    'node-client':
      'The client in JavaScript: integer ids, one line a request, error rejects, result resolves.',
    'python-server': 'The server in Python: params by name, -32601 and -32700 without data.',
  },
};

/** Of one end alone. */
const single: readonly Requirement[] = [
  {
    id: 'planner:performance:batching',
    text: 'Related requests are batched, where the other end takes batches.',
  },
  {
    id: 'planner:performance:retry',
    text: 'What failed for now is attempted again by itself, with exponential backoff, within the limit of the call.',
  },
  {
    id: 'planner:liveness:no-ping',
    text: 'There is no ping: the exit and the stopped state of the process tell.',
  },
  { id: 'planner:liveness:concurrency', text: 'Many requests may be under way at once.' },
  {
    id: 'planner:detection:by-result',
    text: 'Only a result of rpc.discover tells that a program speaks this dialect.',
  },
  {
    id: 'planner:served-first:recognised',
    text: 'Any method of the protocol as the first one tells the dialect.',
  },
  { id: 'planner:served-security:rate-limiting', text: 'Requests a minute may be limited: -32002.' },
  {
    id: 'planner:served-end:eof',
    text: 'At the end of its input an author end finishes its work and exits with 0.',
  },
  { id: 'planner:served-executor:tools', text: 'A plugin without an executor does tasks with its tools.' },
];

export const plannerRequirements: readonly Requirement[] = [
  ...Object.entries(messages).flatMap(([subject, demands]) =>
    Object.entries(demands).flatMap(([name, text]) => [
      { id: `planner:${subject}:${name}`, text },
      { id: `planner:served-${subject}:${name}`, text },
    ]),
  ),
  ...single,
];
