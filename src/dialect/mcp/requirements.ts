// What MCP demands of a host, and of a server of ours, in the parts we speak: revision 2025-11-25, and 2026-07-28 where a server knows
// nothing older.
// https://modelcontextprotocol.io/specification/2025-11-25 and …/2026-07-28
import type { Requirement } from '../../base/requirement.ts';

export const mcpRequirements: readonly Requirement[] = [
  // Base protocol
  { id: 'mcp:base:json-rpc', text: 'Every message is one of JSON-RPC 2.0.' },
  { id: 'mcp:base:request-id', text: 'A request has an id that is a string or an integer, never null.' },
  { id: 'mcp:base:request-id-unique', text: 'No request of a session has the id of an earlier one.' },
  { id: 'mcp:base:response-id', text: 'An answer belongs to the request whose id it carries.' },
  { id: 'mcp:base:result-object', text: 'A result is an object.' },
  { id: 'mcp:base:error-object', text: 'An error has an integer for its code, and a message.' },
  { id: 'mcp:base:no-answer-to-notification', text: 'A notification is not answered.' },
  {
    id: 'mcp:base:schema-2020-12',
    text: 'A schema that names no dialect is one of JSON Schema 2020-12, which has to be supported.',
  },
  {
    id: 'mcp:base:schema-dialect',
    text: 'A schema may name another dialect; one that is not supported is dealt with gracefully.',
  },

  // Lifecycle
  { id: 'mcp:lifecycle:initialize-first', text: 'The first message of a client is the request initialize.' },
  {
    id: 'mcp:lifecycle:initialize-params',
    text: 'initialize tells the protocol version, the capabilities and the name and version of the client.',
  },
  {
    id: 'mcp:lifecycle:latest-version',
    text: 'The version that initialize offers is the latest the client speaks.',
  },
  {
    id: 'mcp:lifecycle:initialize-result',
    text: 'The server answers with its version of the protocol, its capabilities, its name and version, and maybe instructions.',
  },
  {
    id: 'mcp:lifecycle:initialized',
    text: 'Once initialize has succeeded, the client sends notifications/initialized before it works.',
  },
  {
    id: 'mcp:lifecycle:nothing-before-answer',
    text: 'Before initialize is answered the client sends no other request but a ping.',
  },
  {
    id: 'mcp:lifecycle:server-may-ping-and-log-early',
    text: 'Before it was told that the client is ready, a server may ping and log.',
  },
  {
    id: 'mcp:lifecycle:older-version',
    text: 'A server may answer with another version than was offered; the client goes on with it when it speaks it.',
  },
  {
    id: 'mcp:lifecycle:unknown-version',
    text: 'A client that does not speak the version that the server answered with disconnects.',
  },
  {
    id: 'mcp:lifecycle:version-error',
    text: 'A server may refuse initialize with an error that lists the versions it supports.',
  },
  { id: 'mcp:lifecycle:initialize-error', text: 'A refused initialize is dealt with, not waited for.' },
  {
    id: 'mcp:lifecycle:negotiated-capabilities',
    text: 'Only capabilities that were agreed on are used: no list is asked for that the server did not declare.',
  },
  {
    id: 'mcp:lifecycle:shutdown-stdin',
    text: 'Over stdio a client ends a server by closing its stdin, waiting, and then by SIGTERM and SIGKILL.',
  },
  {
    id: 'mcp:lifecycle:server-may-leave',
    text: 'A server may end the connection by closing its output and exiting.',
  },
  { id: 'mcp:lifecycle:request-timeouts', text: 'Every request has a time limit.' },
  {
    id: 'mcp:lifecycle:timeout-cancels',
    text: 'A request that is over its time is cancelled with a notification, and no longer waited for.',
  },
  {
    id: 'mcp:lifecycle:maximum-timeout',
    text: 'Progress does not put the end of a request off without limit.',
  },

  // Versions from 2026 on
  {
    id: 'mcp:versions:fall-forward',
    text: 'A server that knows only 2026-07-28 and later refuses initialize and names its versions; a client of both eras speaks to it without initialize.',
  },
  {
    id: 'mcp:versions:meta',
    text: 'From 2026-07-28 on every request carries version and capabilities in its _meta.',
  },
  {
    id: 'mcp:versions:no-server-requests',
    text: 'From 2026-07-28 on a server asks for input in its results; a client that cannot give any says so.',
  },

  // stdio
  {
    id: 'mcp:stdio:newline-delimited',
    text: 'Messages are single lines of UTF-8 without line breaks inside.',
  },
  { id: 'mcp:stdio:only-messages-out', text: 'A client writes nothing to stdin that is no message of MCP.' },
  {
    id: 'mcp:stdio:only-messages-in',
    text: 'A server writes nothing to stdout that is no message; a host survives one that does.',
  },
  { id: 'mcp:stdio:stderr-is-no-error', text: 'What a server writes to stderr is no sign of failure.' },

  // Streamable HTTP
  {
    id: 'mcp:http:post',
    text: 'Every message of the client is the body of a POST of its own to the one address.',
  },
  {
    id: 'mcp:http:accept',
    text: 'A POST accepts application/json and text/event-stream, a GET text/event-stream.',
  },
  { id: 'mcp:http:accepted', text: 'A notification is answered with 202 and no body.' },
  { id: 'mcp:http:json-answer', text: 'A request may be answered with one JSON object.' },
  {
    id: 'mcp:http:stream-answer',
    text: 'A request may be answered with a stream of events, of which one is the answer.',
  },
  {
    id: 'mcp:http:messages-before-answer',
    text: 'Notifications and requests may come on the stream before the answer.',
  },
  {
    id: 'mcp:http:get-stream',
    text: 'A client may open a stream with GET to hear what the server says by itself.',
  },
  {
    id: 'mcp:http:get-refused',
    text: 'A server without such a stream answers GET with 405, which is no failure.',
  },
  {
    id: 'mcp:http:resume',
    text: 'A stream that broke after an event with an id is taken up by a GET with Last-Event-ID.',
  },
  {
    id: 'mcp:http:retry',
    text: 'A client waits as long as the retry field of a stream says before it reconnects.',
  },
  {
    id: 'mcp:http:cancel-explicitly',
    text: 'To end a connection is not to cancel: the notification is sent for that.',
  },
  {
    id: 'mcp:http:session-id',
    text: 'A session id that came with the answer to initialize is sent with every later request.',
  },
  {
    id: 'mcp:http:session-lost',
    text: '404 for a request with a session id: a new session is begun, without the old id.',
  },
  {
    id: 'mcp:http:session-delete',
    text: 'A client that needs its session no longer sends DELETE with its id.',
  },
  { id: 'mcp:http:delete-refused', text: 'A server may answer that DELETE with 405.' },
  {
    id: 'mcp:http:version-header',
    text: 'After initialize every request has the negotiated version in MCP-Protocol-Version.',
  },

  // Tools
  { id: 'mcp:tools:capability', text: 'A server with tools declares the capability tools.' },
  {
    id: 'mcp:tools:list',
    text: 'tools/list tells the tools: name, title, description, schemas, annotations.',
  },
  {
    id: 'mcp:tools:input-schema',
    text: 'inputSchema is an object with a JSON Schema; null is none, and a tool without parameters still has one.',
  },
  { id: 'mcp:tools:names', text: 'Names of tools are case-sensitive and unique within a server.' },
  { id: 'mcp:tools:annotations-untrusted', text: 'Annotations are hints of the server and no promise.' },
  { id: 'mcp:tools:call', text: 'tools/call names the tool and hands over its arguments.' },
  { id: 'mcp:tools:text', text: 'A result may have parts of text.' },
  {
    id: 'mcp:tools:other-content',
    text: 'A result may have images, audio, links to resources and embedded resources.',
  },
  { id: 'mcp:tools:structured-content', text: 'A result may have structured content beside its parts.' },
  {
    id: 'mcp:tools:output-schema',
    text: 'A client checks structured content against the output schema of the tool.',
  },
  {
    id: 'mcp:tools:execution-error',
    text: 'isError says that the tool failed; what it says of it is for the model to read.',
  },
  {
    id: 'mcp:tools:protocol-error',
    text: 'An unknown tool or a malformed call is a JSON-RPC error, -32602 for the former.',
  },
  {
    id: 'mcp:tools:list-changed',
    text: 'notifications/tools/list_changed tells that the tools are others now; the client lists them again.',
  },

  // Pagination
  { id: 'mcp:pagination:next-cursor', text: 'nextCursor asks for one more request, with that cursor.' },
  { id: 'mcp:pagination:end', text: 'A list without nextCursor is complete, be it the first page.' },
  { id: 'mcp:pagination:opaque', text: 'A cursor is sent back as it came.' },
  { id: 'mcp:pagination:page-size', text: 'The size of pages is the affair of the server.' },

  // Cancellation
  {
    id: 'mcp:cancellation:notification',
    text: 'notifications/cancelled names the request, and maybe a reason.',
  },
  {
    id: 'mcp:cancellation:only-in-progress',
    text: 'Only requests of one’s own that are believed to be under way are cancelled.',
  },
  { id: 'mcp:cancellation:not-initialize', text: 'initialize is not cancelled.' },
  { id: 'mcp:cancellation:late-answer', text: 'An answer that comes after the cancellation is ignored.' },
  {
    id: 'mcp:cancellation:invalid-ignored',
    text: 'A cancellation of something unknown, done or malformed is ignored.',
  },

  // Progress
  {
    id: 'mcp:progress:token',
    text: 'Who wants progress sends a token with the request, unique among those under way.',
  },
  {
    id: 'mcp:progress:fields',
    text: 'Progress has a value, maybe fractional, and may have a total and a message.',
  },
  {
    id: 'mcp:progress:increases',
    text: 'The value rises with each notification; a host survives one that does not.',
  },
  { id: 'mcp:progress:only-active', text: 'Progress of what is not under way is ignored.' },

  // Ping
  { id: 'mcp:ping:answer', text: 'A ping is answered at once with an empty result.' },
  { id: 'mcp:ping:stale', text: 'A ping that is not answered in time means a dead connection.' },

  // Logging
  {
    id: 'mcp:logging:message',
    text: 'notifications/message has a level, maybe a logger, and any JSON for data.',
  },
  { id: 'mcp:logging:levels', text: 'There are eight levels, those of syslog.' },

  // Resources and prompts
  { id: 'mcp:resources:list', text: 'resources/list tells the resources, in pages.' },
  { id: 'mcp:resources:templates', text: 'resources/templates/list tells the templates of addresses.' },
  {
    id: 'mcp:resources:read',
    text: 'resources/read takes a uri and answers with its contents, as text or blob.',
  },
  { id: 'mcp:resources:not-found', text: 'A resource that is not there is the error -32002, later -32602.' },
  { id: 'mcp:prompts:list', text: 'prompts/list tells the prompts, in pages.' },
  { id: 'mcp:prompts:get', text: 'prompts/get takes a name and arguments and answers with messages.' },
  {
    id: 'mcp:prompts:invalid',
    text: 'A prompt that is not there, or lacks an argument, is the error -32602.',
  },

  // What a server may ask of a client
  {
    id: 'mcp:client:undeclared',
    text: 'A client that did not declare roots, sampling or elicitation answers such a request with -32601.',
  },

  // What a server has to do
  {
    id: 'mcp:server:version-spoken',
    text: 'A server answers initialize with the version that was offered, when it speaks it.',
  },
  {
    id: 'mcp:server:version-other',
    text: 'Otherwise it answers with another that it speaks, which should be its latest.',
  },
  {
    id: 'mcp:server:hello-fields',
    text: 'The answer to initialize has protocolVersion, capabilities, and serverInfo with name and version.',
  },
  {
    id: 'mcp:server:capabilities',
    text: 'A server declares what it offers: tools, prompts, logging, completions.',
  },
  {
    id: 'mcp:server:quiet-until-ready',
    text: 'Before notifications/initialized a server sends nothing but answers and logs.',
  },
  {
    id: 'mcp:server:ping',
    text: 'A server answers a ping at once, with an empty result, also while a tool runs.',
  },
  {
    id: 'mcp:server:tools-list',
    text: 'tools/list is answered with tools, each with a name and an inputSchema of type object.',
  },
  { id: 'mcp:server:hints', text: 'What an author says of a tool is told as annotations.' },
  { id: 'mcp:server:pages', text: 'A long list comes in pages, with a cursor to the next.' },
  { id: 'mcp:server:cursor-invalid', text: 'A cursor that is none is refused with -32602.' },
  { id: 'mcp:server:call-result', text: 'tools/call is answered with content, an array of parts.' },
  {
    id: 'mcp:server:structured-content',
    text: 'A tool with an output schema gives structured content that fits it; its JSON should be in a text part as well.',
  },
  {
    id: 'mcp:server:tool-failure',
    text: 'A tool that fails answers with a result that has isError and says why.',
  },
  {
    id: 'mcp:server:invalid-arguments',
    text: 'Arguments that do not fit are a failure of the tool, so that a model can correct itself.',
  },
  { id: 'mcp:server:unknown-tool', text: 'An unknown tool is refused with -32602.' },
  {
    id: 'mcp:server:malformed',
    text: 'A request whose params are not of their form is refused with -32602.',
  },
  { id: 'mcp:server:unknown-method', text: 'A method that the server does not have is refused with -32601.' },
  {
    id: 'mcp:server:invalid-request',
    text: 'What is no JSON is answered with -32700, what is no request with -32600; work goes on.',
  },
  { id: 'mcp:server:null-id', text: 'A request whose id is null is none.' },
  {
    id: 'mcp:server:progress',
    text: 'Progress is told only to those who sent a token, with that token, with rising values, and not after the answer.',
  },
  {
    id: 'mcp:server:log-level',
    text: 'After logging/setLevel only logs of that level and above are sent; an unknown level is refused with -32602.',
  },
  { id: 'mcp:server:log-fields', text: 'A log has one of the eight levels, and data.' },
  {
    id: 'mcp:server:cancelled',
    text: 'A request that was cancelled should be given up, and is not answered.',
  },
  {
    id: 'mcp:server:cancelled-unknown',
    text: 'A cancellation of something unknown, done or malformed is ignored, and initialize cannot be cancelled.',
  },
  {
    id: 'mcp:server:list-changed',
    text: 'When its tools change, a server that declared listChanged says so.',
  },
  {
    id: 'mcp:server:prompts',
    text: 'prompts/list tells the prompts and their arguments; prompts/get answers with messages that have a role and content.',
  },
  {
    id: 'mcp:server:prompts-invalid',
    text: 'An unknown prompt or a missing argument is refused with -32602, a failure with -32603.',
  },
  {
    id: 'mcp:server:completion',
    text: 'completion/complete answers with at most 100 values, and tells whether there are more.',
  },
  { id: 'mcp:server:end', text: 'When its stdin is closed, a server finishes and exits.' },

  // What a server has to do from revision 2026-07-28 on
  {
    id: 'mcp:server:stateless-discover',
    text: 'server/discover tells the versions of this era, the capabilities and instructions; there is no hello.',
  },
  {
    id: 'mcp:server:stateless-envelope',
    text: 'A request that names another version is refused with -32022 and the versions that are spoken, one without clientCapabilities with -32602.',
  },
  {
    id: 'mcp:server:stateless-results',
    text: 'A result has resultType, lists say how long they are good for, and the server should name itself.',
  },
  {
    id: 'mcp:server:stateless-removed',
    text: 'initialize, ping and logging/setLevel are no methods any more, and discover and listen are none of the earlier revisions.',
  },
  {
    id: 'mcp:server:stateless-logs',
    text: 'Logs are sent only for a request that names a level, from that level on.',
  },
  {
    id: 'mcp:server:stateless-changes',
    text: 'Changes are told only on subscriptions/listen, which is acknowledged with what is honoured, marked with its id, and ended by cancelling.',
  },
];
