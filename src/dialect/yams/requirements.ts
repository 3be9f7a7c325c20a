// What the specification of YAMS external plugins (version 1.0, 2025-11-01) demands, section by section.
import type { Requirement } from '../../base/requirement.ts';

export const yamsRequirements: readonly Requirement[] = [
  // Overview
  { id: 'yams:overview:json-rpc', text: 'Host and plugin talk JSON-RPC 2.0 over stdio, a line a message.' },
  { id: 'yams:overview:any-language', text: 'A plugin may be written in any language.' },
  {
    id: 'yams:overview:isolation',
    text: 'A plugin is a process of its own; its crash is not that of the host.',
  },
  { id: 'yams:overview:tooling', text: 'Any library for JSON-RPC 2.0 will do.' },
  { id: 'yams:overview:readable', text: 'Messages are JSON that a person can read.' },
  {
    id: 'yams:principle:compliant',
    text: 'Requests, responses and notifications have the form of JSON-RPC 2.0.',
  },
  { id: 'yams:principle:newline-delimited', text: 'One message is one line.' },
  { id: 'yams:principle:synchronous', text: 'Each request has its one response.' },
  { id: 'yams:principle:batching', text: 'Several may be under way at once by means of batches.' },
  { id: 'yams:principle:stateful', text: 'A plugin keeps its state from one request to the next.' },
  {
    id: 'yams:principle:graceful-degradation',
    text: 'A plugin answers methods that it does not have with an error, and the host goes on without them.',
  },

  // Transport
  {
    id: 'yams:transport:stdio',
    text: 'Requests go to the stdin of the plugin, responses come from its stdout.',
  },
  { id: 'yams:transport:ndjson', text: 'Messages are framed as lines of JSON.' },
  { id: 'yams:transport:utf-8', text: 'The encoding is UTF-8.' },
  { id: 'yams:transport:direction', text: 'The host sends requests, the plugin sends responses.' },
  { id: 'yams:transport:message-flow', text: 'A plugin reads a line, parses it and answers with a line.' },

  // Process management
  { id: 'yams:process:spawn', text: 'The host starts the process of the plugin.' },
  { id: 'yams:process:handshake-first', text: 'The first message must be handshake.manifest.' },
  { id: 'yams:process:init-second', text: 'The second message should be plugin.init with the config.' },
  { id: 'yams:process:operation', text: 'After that the host sends extractions or any other requests.' },
  { id: 'yams:process:shutdown', text: 'The host sends plugin.shutdown, then ends the process.' },
  {
    id: 'yams:process:timeout',
    text: 'Each request has a time limit; for an extraction it is 30 s by default.',
  },
  { id: 'yams:process:timeout-configurable', text: 'The time limit can be set.' },
  { id: 'yams:process:crash', text: 'The host notices a broken pipe, and the plugin counts as unhealthy.' },

  // Message format
  { id: 'yams:request:example', text: 'A request has jsonrpc, id, method and params, as in the example.' },
  { id: 'yams:request:jsonrpc', text: 'jsonrpc is "2.0".' },
  { id: 'yams:request:id', text: 'The id is unique, a number or a string.' },
  { id: 'yams:request:id-omitted', text: 'Without an id it is a notification.' },
  { id: 'yams:request:method', text: 'The method is a string.' },
  { id: 'yams:request:method-case', text: 'The case of a method counts.' },
  { id: 'yams:request:params', text: 'params is an object and may be left out, which means {}.' },
  { id: 'yams:response:success-example', text: 'A success has jsonrpc, the id of the request and a result.' },
  { id: 'yams:response:error-example', text: 'An error has a code, a message and may have data.' },
  { id: 'yams:error-code:-32700', text: 'Parse error: the plugin could not parse what it got.' },
  { id: 'yams:error-code:-32600', text: 'Invalid Request: a required field is missing.' },
  { id: 'yams:error-code:-32601', text: 'Method not found.' },
  { id: 'yams:error-code:-32602', text: 'Invalid params.' },
  { id: 'yams:error-code:-32603', text: 'Internal error of the plugin.' },
  { id: 'yams:error-code:-32000', text: 'Extraction failed.' },
  {
    id: 'yams:error-code:-32001',
    text: 'Unsupported format: the plugin cannot deal with this type of file.',
  },
  { id: 'yams:error-code:-32002', text: 'Timeout: the operation took too long.' },
  { id: 'yams:error-code:-32003', text: 'Not initialized.' },

  // handshake.manifest
  { id: 'yams:manifest:first', text: 'handshake.manifest is the first message after the start.' },
  { id: 'yams:manifest:required', text: 'A plugin has to answer handshake.manifest.' },
  { id: 'yams:manifest:example-request', text: 'The request has no params.' },
  {
    id: 'yams:manifest:example-response',
    text: 'The manifest of the example is understood in all its fields.',
  },
  { id: 'yams:manifest:name', text: 'name, a string, is required.' },
  { id: 'yams:manifest:name-form', text: 'A name is of letters, digits and underscores.' },
  { id: 'yams:manifest:version', text: 'version, a semantic version, is required.' },
  { id: 'yams:manifest:description', text: 'description, a string, is optional.' },
  { id: 'yams:manifest:author', text: 'author, a string, is optional.' },
  { id: 'yams:manifest:interfaces', text: 'interfaces, a list of ids, is required.' },
  { id: 'yams:manifest:capabilities', text: 'capabilities, an object with more about them, is optional.' },

  // plugin.init
  { id: 'yams:init:order', text: 'plugin.init comes after the handshake and before any extraction.' },
  { id: 'yams:init:required', text: 'A plugin has to answer plugin.init.' },
  {
    id: 'yams:init:example-request',
    text: 'The request of the example is what the host sends for that config.',
  },
  { id: 'yams:init:example-response', text: 'The result of the example is understood.' },
  { id: 'yams:init:config', text: "config, an object of the plugin's own, is always sent." },
  { id: 'yams:init:status', text: 'status, a string, is required.' },
  { id: 'yams:init:status-initialized', text: 'status "initialized": it is set up.' },
  { id: 'yams:init:status-error', text: 'status "error": it is not.' },
  { id: 'yams:init:config-applied', text: 'config_applied, optional, is the config that is really in use.' },

  // plugin.health
  { id: 'yams:health:when', text: 'plugin.health is asked from time to time, or before heavy work.' },
  { id: 'yams:health:required', text: 'A plugin has to answer plugin.health.' },
  { id: 'yams:health:example-request', text: 'The request has no params.' },
  { id: 'yams:health:example-response', text: 'The result of the example is understood.' },
  { id: 'yams:health:status', text: 'status, a string, is required.' },
  { id: 'yams:health:status-ok', text: 'status "ok".' },
  { id: 'yams:health:status-degraded', text: 'status "degraded".' },
  { id: 'yams:health:status-error', text: 'status "error".' },
  { id: 'yams:health:more-fields', text: "Further fields are the plugin's own." },

  // plugin.shutdown
  { id: 'yams:shutdown:when', text: 'plugin.shutdown is sent before the process is ended.' },
  { id: 'yams:shutdown:required', text: 'A plugin has to answer plugin.shutdown.' },
  { id: 'yams:shutdown:example-request', text: 'The request has no params.' },
  { id: 'yams:shutdown:example-response', text: 'The result is null.' },
  { id: 'yams:shutdown:cleanup', text: 'The plugin should clean up: temporary files, helpers of its own.' },
  { id: 'yams:shutdown:limit', text: 'The host ends the process after a time limit, 5 s by default.' },

  // extractor.supports
  { id: 'yams:supports:interface', text: 'It is there for plugins with content_extractor_v1.' },
  { id: 'yams:supports:when', text: 'It is asked before an extraction.' },
  { id: 'yams:supports:required', text: 'A plugin with content_extractor_v1 has to answer it.' },
  { id: 'yams:supports:example-request', text: 'The request of the example is what the host sends.' },
  { id: 'yams:supports:example-response', text: 'The result of the example is understood.' },
  { id: 'yams:supports:mime-type', text: 'mime_type, a string, is optional.' },
  { id: 'yams:supports:extension', text: 'extension, a string with its dot, is optional.' },
  { id: 'yams:supports:at-least-one', text: 'At least one of the two must be sent.' },
  { id: 'yams:supports:supported', text: 'supported, a boolean, is required.' },
  { id: 'yams:supports:confidence', text: 'confidence, from 0 to 1, is optional.' },
  { id: 'yams:supports:confidence-default', text: 'A confidence that is left out is 1.0.' },
  { id: 'yams:supports:method', text: 'method, the name of how it is extracted, is optional.' },

  // extractor.extract
  { id: 'yams:extract:when', text: 'It is called when supports has said yes.' },
  { id: 'yams:extract:required', text: 'A plugin with content_extractor_v1 has to answer it.' },
  { id: 'yams:extract:example-request', text: 'The request of the example is what the host sends.' },
  { id: 'yams:extract:source', text: 'source, an object, is required.' },
  { id: 'yams:extract:source-type', text: 'The type of a source is "path" or "bytes".' },
  { id: 'yams:extract:source-path', text: 'path, for a source of type path, is that of a file.' },
  { id: 'yams:extract:source-data', text: 'data, for a source of type bytes, is base64.' },
  { id: 'yams:extract:options', text: 'options, an object, is optional.' },
  { id: 'yams:extract:max-functions', text: 'max_functions, an integer, is optional.' },
  { id: 'yams:extract:decompile', text: 'decompile, a boolean, is optional.' },
  {
    id: 'yams:extract:include-metadata',
    text: 'include_metadata, a boolean, is optional.',
  },
  {
    id: 'yams:extract:timeout-sec',
    text: 'timeout_sec, an integer for each function, is optional.',
  },
  { id: 'yams:extract:max-functions-default', text: 'A max_functions that is left out is 100.' },
  { id: 'yams:extract:decompile-default', text: 'A decompile that is left out is true.' },
  { id: 'yams:extract:include-metadata-default', text: 'An include_metadata that is left out is true.' },
  { id: 'yams:extract:include-metadata-false', text: 'With include_metadata false there is no metadata.' },
  { id: 'yams:extract:timeout-sec-default', text: 'A timeout_sec that is left out is 10.' },
  { id: 'yams:extract:example-success', text: 'The result of the example is understood.' },
  { id: 'yams:extract:success', text: 'success, a boolean, is required; false is a failure.' },
  { id: 'yams:extract:content', text: 'content, a string, is required when success is true.' },
  { id: 'yams:extract:metadata', text: 'metadata, an object, is optional.' },
  { id: 'yams:extract:stats', text: 'stats, an object, is optional.' },
  {
    id: 'yams:extract:example-error',
    text: 'The error of the example is understood, partial results included.',
  },

  // Error handling
  { id: 'yams:errors:example', text: 'Errors should have the structure of the example.' },
  { id: 'yams:errors:reason', text: 'data.reason is the category of an error.' },
  { id: 'yams:errors:details', text: 'data.details says more about it.' },
  { id: 'yams:errors:recoverable', text: 'data.recoverable tells whether it can be tried again.' },
  { id: 'yams:errors:not-initialized-reason', text: 'Its data.reason is "NotInitialized".' },
  {
    id: 'yams:errors:not-initialized-required-method',
    text: 'Its data.required_method is what has to be called first.',
  },
  { id: 'yams:errors:unsupported-reason', text: 'Its data.reason is "UnsupportedFormat".' },
  { id: 'yams:errors:unsupported-mime-type', text: 'Its data.mime_type is that of the file.' },
  { id: 'yams:errors:unsupported-extension', text: 'Its data.extension is that of the file.' },
  { id: 'yams:errors:unsupported-supported-formats', text: 'Its data.supported_formats is what would do.' },
  { id: 'yams:errors:timeout-reason', text: 'Its data.reason is "Timeout".' },
  { id: 'yams:errors:timeout-timeout-sec', text: 'Its data.timeout_sec is the limit.' },
  {
    id: 'yams:errors:timeout-partial-extraction',
    text: 'Its data.partial_extraction tells whether something was found.',
  },
  {
    id: 'yams:errors:timeout-functions-extracted',
    text: 'Its data.functions_extracted is how many functions were found.',
  },
  { id: 'yams:errors:dependency-reason', text: 'Its data.reason is "DependencyMissing".' },
  { id: 'yams:errors:dependency-dependency', text: 'Its data.dependency is what is missing.' },
  { id: 'yams:errors:dependency-env-var', text: 'Its data.env_var is the variable that says where it is.' },
  {
    id: 'yams:errors:dependency-config-key',
    text: 'Its data.config_key is the key of the config that says where it is.',
  },
  { id: 'yams:errors:not-initialized', text: 'The scenario of a plugin that is not initialized: -32003.' },
  { id: 'yams:errors:unsupported', text: 'The scenario of an unsupported file: -32001.' },
  { id: 'yams:errors:timeout', text: 'The scenario of an extraction that takes too long: -32002.' },
  { id: 'yams:errors:dependency', text: 'The scenario of a missing dependency: -32603 with its reason.' },

  // Examples
  {
    id: 'yams:example:complete-flow',
    text: 'Example 1, from the handshake to the shutdown, runs as written.',
  },
  { id: 'yams:example:error-handling', text: 'Example 2, an unsupported file, runs as written.' },

  // Implementation notes
  {
    id: 'yams:sdk:manifest',
    text: 'A Python plugin gives its manifest as a dictionary with name, version and interfaces.',
  },
  {
    id: 'yams:sdk:supports',
    text: 'A handler of supports gets mime_type and extension by name, each with a default.',
  },
  {
    id: 'yams:sdk:extract',
    text: 'A handler of extract gets source and options by name, options with a default.',
  },
  { id: 'yams:sdk:result', text: 'A handler of extract returns success, content and metadata.' },
  { id: 'yams:sdk:run', text: 'A plugin serves until its input is over.' },
  { id: 'yams:host:spawning', text: 'The host starts a process.' },
  { id: 'yams:host:piping', text: 'The host reads stdout and writes stdin.' },
  { id: 'yams:host:line-buffering', text: 'The host reads and writes whole lines.' },
  { id: 'yams:host:timeouts', text: 'The host limits each request in time, with SIGTERM at the end.' },
  { id: 'yams:host:recovery', text: 'The host notices crashes and goes on.' },
  { id: 'yams:host:parsing', text: 'The host parses JSON.' },
  { id: 'yams:host:synchronised', text: 'The host keeps callers of one plugin apart.' },
  { id: 'yams:host:call-ids', text: 'Each request of the skeleton takes the next id.' },
  { id: 'yams:host:call-line', text: 'The skeleton writes a request as compact JSON with a line break.' },
  { id: 'yams:host:call-timeout', text: 'A response that does not come in time is an error of its own.' },
  { id: 'yams:host:call-error', text: 'An error in the response fails the call with its message.' },
  { id: 'yams:host:call-result', text: 'Otherwise the call gives the result.' },

  // What a plugin of ours does under a YAMS host
  {
    id: 'yams:plugin:manifest',
    text: 'It tells name, version, description, author, interfaces and capabilities when it is asked first.',
  },
  {
    id: 'yams:plugin:name',
    text: 'Its name is of letters, digits and underscores on the wire, and leads back to its own.',
  },
  { id: 'yams:plugin:tools', text: 'It lists its tools in the capabilities, each with its schema.' },
  { id: 'yams:plugin:init-wrapped', text: 'It takes { config } at plugin.init.' },
  { id: 'yams:plugin:init-bare', text: 'It takes params that are the config, as the real host sends them.' },
  { id: 'yams:plugin:init-absent', text: 'It takes a plugin.init without params.' },
  { id: 'yams:plugin:init-result', text: 'It says "initialized", and which config is in use.' },
  {
    id: 'yams:plugin:init-failure',
    text: 'One that cannot be set up answers with an error, which every host takes for a failure.',
  },
  {
    id: 'yams:plugin:not-initialized',
    text: 'What needs a setup is answered with -32003 before plugin.init, and names it.',
  },
  { id: 'yams:plugin:health', text: 'It tells its health at once, also while a handler runs.' },
  { id: 'yams:plugin:shutdown', text: 'It cleans up, answers plugin.shutdown with null, and ends.' },
  { id: 'yams:plugin:probe', text: 'It may be asked for its manifest and told goodbye, and nothing else.' },
  {
    id: 'yams:plugin:end-of-input',
    text: 'At the end of its input it finishes what it was asked, and ends.',
  },
  { id: 'yams:plugin:supports', text: 'An extractor says what it supports, how surely and how.' },
  {
    id: 'yams:plugin:supports-neither',
    text: 'A question without a type and an extension is answered with -32602.',
  },
  { id: 'yams:plugin:extract-path', text: 'It extracts from a path.' },
  {
    id: 'yams:plugin:extract-bytes',
    text: 'It extracts from base64; broken base64 is answered with -32602.',
  },
  {
    id: 'yams:plugin:extract-result',
    text: 'What was extracted comes in the shape of the specification and in that of real plugins at once.',
  },
  {
    id: 'yams:plugin:unsupported',
    text: 'An unsupported file is answered with -32001 and what is supported.',
  },
  {
    id: 'yams:plugin:timeout',
    text: 'What takes too long is answered with -32002, the limit, and what was found by then.',
  },
  { id: 'yams:plugin:dependency', text: 'A missing dependency is answered with -32603 and its name.' },
  {
    id: 'yams:plugin:structured-error',
    text: 'Errors have a reason, and details and recoverable where the author gave them.',
  },
  {
    id: 'yams:plugin:any-method',
    text: 'A method that is not one of YAMS is a tool; params are its arguments.',
  },
  { id: 'yams:plugin:unknown-method', text: 'An unknown method is answered with -32601, which names it.' },
  { id: 'yams:plugin:notification', text: 'A notification is heeded and never answered.' },
  { id: 'yams:plugin:batch', text: 'A batch is answered with a batch.' },
  { id: 'yams:plugin:ids', text: 'Answers have the id of their request, whatever ids a host uses.' },
  {
    id: 'yams:plugin:invalid',
    text: 'What is no JSON is answered with -32700, what is no request with -32600.',
  },
  { id: 'yams:plugin:lines', text: 'Every line it sends is one message.' },
  {
    id: 'yams:plugin:events',
    text: 'Text that was streamed is part of the result; logs go to stderr, where nobody takes them for messages.',
  },
];
