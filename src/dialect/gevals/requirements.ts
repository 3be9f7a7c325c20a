// What the gevals extension protocol 0.0.1 demands, section by section.
import type { Requirement } from '../../base/requirement.ts';

export const gevalsRequirements: readonly Requirement[] = [
  // Overview and transport
  { id: 'gevals:transport:json-rpc', text: 'Both ends speak JSON-RPC 2.0.' },
  { id: 'gevals:transport:lines', text: 'A message is one line of JSON, and LF ends it.' },
  { id: 'gevals:transport:utf-8', text: 'Text is UTF-8, in both directions.' },
  { id: 'gevals:transport:stdin', text: 'The host writes to the stdin of the extension.' },
  { id: 'gevals:transport:stdout', text: 'The extension writes to its stdout.' },
  {
    id: 'gevals:transport:stderr',
    text: 'What the extension writes to stderr is for people and is not parsed.',
  },

  // Lifecycle
  { id: 'gevals:lifecycle:spawn', text: 'The host starts the program of the extension.' },
  { id: 'gevals:lifecycle:initialize-first', text: 'The first that is sent is initialize.' },
  { id: 'gevals:lifecycle:manifest', text: 'The extension answers with its name, version and operations.' },
  { id: 'gevals:lifecycle:execute-many', text: 'Any number of execute requests follow.' },
  { id: 'gevals:lifecycle:logs', text: 'While an operation runs, any number of log notifications may come.' },
  { id: 'gevals:lifecycle:result-each', text: 'Every execute request gets its result.' },
  { id: 'gevals:lifecycle:shutdown', text: 'The host sends shutdown when it is done.' },
  { id: 'gevals:lifecycle:exits', text: 'The extension exits after shutdown.' },

  // Initialize
  { id: 'gevals:initialize:once', text: 'Initialize is sent once, after the start.' },
  { id: 'gevals:initialize:request-example', text: 'The example of the request.' },
  {
    id: 'gevals:initialize:protocol-version',
    text: 'protocolVersion, a string, required: the version that the host supports.',
  },
  {
    id: 'gevals:initialize:config',
    text: 'config, an object, optional: what the configuration says for this extension.',
  },
  { id: 'gevals:initialize:response-example', text: 'The example of the response.' },

  // Manifest
  { id: 'gevals:manifest:name', text: 'name, a string, required: the identifier of the extension.' },
  { id: 'gevals:manifest:version', text: 'version, a string, required: its semantic version.' },
  {
    id: 'gevals:manifest:protocol-version',
    text: 'protocolVersion, a string, required: the version that the extension supports.',
  },
  { id: 'gevals:manifest:description', text: 'description, a string, optional: for people.' },
  { id: 'gevals:manifest:requires', text: 'requires, an array, optional: what the system must have.' },
  { id: 'gevals:manifest:operations', text: 'operations, an object, required: operations by their names.' },
  { id: 'gevals:requirement:command', text: 'command, a string: a program that must be in PATH.' },
  {
    id: 'gevals:operation:description',
    text: 'description of an operation, a string, optional: for people.',
  },
  {
    id: 'gevals:operation:params',
    text: 'params of an operation, an object, required: the JSON Schema of its arguments.',
  },
  { id: 'gevals:operation:params-valid', text: 'params are a valid JSON Schema.' },
  {
    id: 'gevals:operation:params-keywords',
    text: 'The usual keywords tell what arguments are expected: type, properties, required, default.',
  },

  // Execute
  { id: 'gevals:execute:request-example', text: 'The example of the request.' },
  { id: 'gevals:execute:operation', text: 'operation, a string, required: a name out of the manifest.' },
  { id: 'gevals:execute:args', text: 'args, an object, required: the arguments of the operation.' },
  { id: 'gevals:execute:context', text: 'context, an object, required: what surrounds the operation.' },
  {
    id: 'gevals:context:workdir',
    text: 'workdir, a string, required: the folder of the task, from which relative paths are taken.',
  },
  { id: 'gevals:context:phase', text: 'phase, a string, required.' },
  { id: 'gevals:context:phase-setup', text: 'One of the phases is "setup".' },
  { id: 'gevals:context:phase-verify', text: 'One of the phases is "verify".' },
  { id: 'gevals:context:phase-cleanup', text: 'One of the phases is "cleanup".' },
  { id: 'gevals:context:env', text: 'env, an object, optional: variables out of the task.' },
  { id: 'gevals:context:timeout', text: 'timeout, a duration, optional: how long the operation may take.' },
  { id: 'gevals:context:agent', text: 'agent, an object, optional: what is known of the agent.' },
  { id: 'gevals:agent:verify-only', text: 'agent is there in the verify phase only.' },
  { id: 'gevals:agent:prompt', text: 'agent.prompt, a string: what the agent was asked.' },
  { id: 'gevals:agent:output', text: 'agent.output, a string: what the agent answered.' },
  { id: 'gevals:agent:example', text: 'The example of an agent.' },

  // Results
  { id: 'gevals:result:success-example', text: 'The example of a success.' },
  { id: 'gevals:result:failure-example', text: 'The example of a failure.' },
  { id: 'gevals:result:success', text: 'success, a boolean, required: whether the operation succeeded.' },
  { id: 'gevals:result:message', text: 'message, a string, optional: a summary for people.' },
  { id: 'gevals:result:error', text: 'error, a string, optional: what went wrong, when success is false.' },
  {
    id: 'gevals:result:outputs',
    text: 'outputs, strings by names, optional: for use in the steps that follow.',
  },
  {
    id: 'gevals:result:failures-are-results',
    text: 'An operation that fails answers with a result whose success is false.',
  },
  {
    id: 'gevals:result:protocol-errors-are-errors',
    text: 'What is wrong with the request is answered with a JSON-RPC error.',
  },

  // Log
  { id: 'gevals:log:notification', text: 'A log is a notification: it has no id and is not answered.' },
  { id: 'gevals:log:info-example', text: 'The example of a log for people.' },
  { id: 'gevals:log:debug-example', text: 'The example of a log with data.' },
  { id: 'gevals:log:level', text: 'level, a string, required.' },
  { id: 'gevals:log:level-debug', text: 'One of the levels is "debug".' },
  { id: 'gevals:log:level-info', text: 'One of the levels is "info".' },
  { id: 'gevals:log:level-warn', text: 'One of the levels is "warn".' },
  { id: 'gevals:log:level-error', text: 'One of the levels is "error".' },
  { id: 'gevals:log:message', text: 'message, a string, required.' },
  { id: 'gevals:log:data', text: 'data, an object, optional: for debugging.' },
  { id: 'gevals:log:verbosity', text: 'Which logs are shown depends on how much was asked for.' },

  // Shutdown
  { id: 'gevals:shutdown:request-example', text: 'The example of the request.' },
  { id: 'gevals:shutdown:response-example', text: 'The example of the response.' },
  { id: 'gevals:shutdown:exit-after-response', text: 'The extension should exit after its response.' },

  // Errors
  { id: 'gevals:errors:example', text: 'The example of an error.' },
  { id: 'gevals:errors:parse-error', text: '-32700: the JSON is invalid.' },
  { id: 'gevals:errors:invalid-request', text: '-32600: required fields are missing.' },
  { id: 'gevals:errors:method-not-found', text: '-32601: the method or operation is unknown.' },
  { id: 'gevals:errors:invalid-params', text: '-32602: the arguments are not valid.' },
  { id: 'gevals:errors:internal-error', text: '-32603: the extension failed unexpectedly.' },
  { id: 'gevals:errors:reserved-range', text: 'The numbers from -32099 to -32000 are those of extensions.' },
  { id: 'gevals:errors:operation-failed', text: '-32000: an operation failed.' },
  { id: 'gevals:errors:timeout', text: '-32001: an operation took longer than its timeout.' },
  { id: 'gevals:errors:requirement-not-met', text: '-32002: a required command was not found.' },
  {
    id: 'gevals:categories:operation-failure',
    text: 'What the operation itself finds wrong is a result with success false.',
  },
  { id: 'gevals:categories:unknown-operation', text: 'An unknown operation is an error with -32601.' },
  {
    id: 'gevals:categories:missing-argument',
    text: 'A required argument that is missing is an error with -32602.',
  },
  { id: 'gevals:categories:crash', text: 'An extension that crashes exits with a code other than 0.' },
  { id: 'gevals:categories:invalid-json', text: 'Input that is no JSON is answered with -32700.' },

  // One-shot mode
  {
    id: 'gevals:one-shot:example',
    text: 'One execute request on stdin, with neither initialize nor shutdown, is enough.',
  },
  { id: 'gevals:one-shot:stdin-closes', text: 'The extension notices that stdin closes after one message.' },
  { id: 'gevals:one-shot:executes', text: 'It runs that operation.' },
  { id: 'gevals:one-shot:writes-result', text: 'It writes the result to stdout.' },
  { id: 'gevals:one-shot:exits', text: 'Then it exits.' },

  // Example session
  { id: 'gevals:session:example', text: 'The example session, from initialize to shutdown.' },

  // Durations
  { id: 'gevals:duration:go-syntax', text: 'Durations are written as Go writes them.' },
  { id: 'gevals:duration:seconds', text: '30s is 30 seconds.' },
  { id: 'gevals:duration:minutes', text: '5m is 5 minutes.' },
  { id: 'gevals:duration:hours-and-minutes', text: '1h30m is 1 hour and 30 minutes.' },
  { id: 'gevals:duration:milliseconds', text: '100ms is 100 milliseconds.' },

  // Out of scope
  { id: 'gevals:scope:no-cancellation', text: 'An operation under way cannot be called off.' },
  { id: 'gevals:scope:no-negotiation', text: 'Optional features are not negotiated.' },
  { id: 'gevals:scope:no-binary-data', text: 'Files are passed by their paths, not by their bytes.' },
  { id: 'gevals:scope:no-streaming', text: 'A result comes in one piece.' },

  // What all that means for an extension, and what it needs to live with real hosts
  {
    id: 'gevals:extension:manifest',
    text: 'An extension answers initialize with name, version, protocolVersion and operations, each with its params.',
  },
  {
    id: 'gevals:extension:version-refused',
    text: 'Any protocolVersion but "0.0.1" is refused with -32602.',
  },
  {
    id: 'gevals:extension:config',
    text: 'What initialize brings as config is what the extension works with.',
  },
  { id: 'gevals:extension:initialize-again', text: 'A second initialize works like the first.' },
  {
    id: 'gevals:extension:execute-answer',
    text: 'An execute is answered with a result that has success, a boolean.',
  },
  { id: 'gevals:extension:ids', text: 'Answers carry the id of their request as it came, of the same type.' },
  {
    id: 'gevals:extension:real-context',
    text: 'A phase that is "", args that are null, no env and no timeout are taken: so say real hosts.',
  },
  { id: 'gevals:extension:string-outputs', text: 'All outputs are strings.' },
  {
    id: 'gevals:extension:failure-result',
    text: 'An operation that fails answers with success false and an error in words.',
  },
  { id: 'gevals:extension:unknown-operation', text: 'An unknown operation is refused with -32601.' },
  { id: 'gevals:extension:unknown-method', text: 'An unknown method is refused with -32601.' },
  { id: 'gevals:extension:invalid-arguments', text: 'Arguments that do not fit are refused with -32602.' },
  {
    id: 'gevals:extension:invalid-request',
    text: 'A message that is no request is refused with -32600, one that is no JSON with -32700; work goes on.',
  },
  { id: 'gevals:extension:timeout', text: 'An operation over its timeout ends with -32001.' },
  { id: 'gevals:extension:setup-error', text: 'A failure while the extension is set up is -32603.' },
  {
    id: 'gevals:extension:log-fields',
    text: 'A log has a level out of four, a message, and an object for data.',
  },
  {
    id: 'gevals:extension:line-limit',
    text: 'No line of an extension is longer than 65,535 bytes: real hosts stop reading there.',
  },
  {
    id: 'gevals:extension:serial',
    text: 'Operations run one after the other, and answers come in the order of the requests.',
  },
  {
    id: 'gevals:extension:one-shot',
    text: 'Any number of executes without initialize, then the end of stdin: all are answered, and the exit code is 0.',
  },
  {
    id: 'gevals:extension:command-line-config',
    text: 'Where no initialize brings a config, that of the command line holds.',
  },
  {
    id: 'gevals:extension:shutdown',
    text: 'Shutdown is answered with {} behind the operations that run, then the extension exits with 0.',
  },
];
