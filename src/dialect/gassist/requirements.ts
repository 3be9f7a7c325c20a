// What the G-Assist plugin protocol V2 demands, section by section.
import type { Requirement } from '../../base/requirement.ts';

export const gassistRequirements: readonly Requirement[] = [
  // Overview and goals
  { id: 'gassist:overview:json-rpc', text: 'Engine and plugin talk JSON-RPC 2.0.' },
  { id: 'gassist:overview:v1-refused', text: 'Every plugin speaks V2; V1 is not supported any more.' },
  { id: 'gassist:goals:engine-pings', text: 'The engine asks for signs of life; the plugin only answers.' },
  {
    id: 'gassist:goals:watchdog',
    text: 'The health of a plugin is watched apart from its calls, and a freeze is noticed at once.',
  },

  // Message framing
  {
    id: 'gassist:framing:length',
    text: 'Before each message stands its length in bytes: four bytes, unsigned, big-endian.',
  },
  { id: 'gassist:framing:utf8', text: 'A message is JSON in UTF-8.' },
  {
    id: 'gassist:framing:any-character',
    text: 'No delimiter is needed, so that any character can be in a message.',
  },

  // JSON-RPC 2.0 format
  { id: 'gassist:format:request', text: 'A request has jsonrpc "2.0", id, method and params.' },
  {
    id: 'gassist:format:response',
    text: 'A response has jsonrpc "2.0", the id of its request and a result.',
  },
  {
    id: 'gassist:format:error-response',
    text: 'An error response has an error with code, message and, where there is more to say, data.',
  },
  { id: 'gassist:format:notification', text: 'A notification has no id and is not answered.' },

  // initialize
  { id: 'gassist:initialize:once', text: 'The engine calls initialize once, when the plugin starts.' },
  { id: 'gassist:initialize:protocol-version', text: 'It sends protocol_version "2.0".' },
  { id: 'gassist:initialize:engine-version', text: 'It sends engine_version.' },
  {
    id: 'gassist:initialize:capabilities',
    text: 'It sends its capabilities, which are "streaming" and "passthrough".',
  },
  { id: 'gassist:initialize:result-name', text: 'The plugin answers with its name.' },
  { id: 'gassist:initialize:result-version', text: 'The plugin answers with its version.' },
  { id: 'gassist:initialize:result-capabilities', text: 'The plugin answers with its capabilities.' },
  { id: 'gassist:initialize:example-request', text: 'The example of the request.' },
  { id: 'gassist:initialize:example-response', text: 'The example of the response.' },

  // ping
  { id: 'gassist:ping:within-1s', text: 'The plugin answers a ping within one second.' },
  { id: 'gassist:ping:timestamp', text: 'A ping has a timestamp, which its answer gives back.' },
  { id: 'gassist:ping:two-misses-kill', text: 'A plugin that misses two pings in a row is ended.' },
  { id: 'gassist:ping:example-request', text: 'The example of the request.' },
  { id: 'gassist:ping:example-response', text: 'The example of the response.' },

  // execute
  { id: 'gassist:execute:function', text: 'It names the function to be carried out.' },
  { id: 'gassist:execute:arguments', text: 'It has the arguments, by name.' },
  { id: 'gassist:execute:context', text: 'It may have the conversation, as a list.' },
  { id: 'gassist:execute:system-info', text: 'It may have words on the system, as text.' },
  { id: 'gassist:execute:result-success', text: 'A result says whether it went well.' },
  { id: 'gassist:execute:result-data', text: 'A result has the data.' },
  {
    id: 'gassist:execute:result-keep-session',
    text: 'A result says whether the plugin wants what the user says next.',
  },
  { id: 'gassist:execute:example-request', text: 'The example of the request.' },
  { id: 'gassist:execute:example-response', text: 'The example of the response without streaming.' },

  // input
  { id: 'gassist:input:content', text: 'It has what the user said in passthrough mode.' },
  { id: 'gassist:input:timestamp', text: 'It has a timestamp.' },
  { id: 'gassist:input:acknowledged-first', text: 'The plugin acknowledges an input before all else.' },
  {
    id: 'gassist:input:answer-by-notifications',
    text: 'After that it answers the input by notifications, streamed and final.',
  },
  { id: 'gassist:input:example-request', text: 'The example of the request.' },
  { id: 'gassist:input:example-acknowledgement', text: 'The example of the acknowledgement.' },

  // shutdown
  { id: 'gassist:shutdown:notification', text: 'It is a notification with empty params.' },
  { id: 'gassist:shutdown:no-response', text: 'No response to it is expected.' },
  { id: 'gassist:shutdown:exit', text: 'The plugin exits.' },
  { id: 'gassist:shutdown:example', text: 'The example of the notification.' },

  // stream
  { id: 'gassist:stream:during-execution', text: 'It brings content while a request is carried out.' },
  { id: 'gassist:stream:request-id', text: 'It names the request that it is for.' },
  { id: 'gassist:stream:data', text: 'It has the content as data.' },
  { id: 'gassist:stream:example', text: 'The example of the notification.' },

  // complete
  { id: 'gassist:complete:ends', text: 'It says that a request has been carried out.' },
  { id: 'gassist:complete:request-id', text: 'It names the request that it ends.' },
  { id: 'gassist:complete:success', text: 'It says whether it went well.' },
  { id: 'gassist:complete:data', text: 'It has the final data.' },
  { id: 'gassist:complete:keep-session', text: 'It says whether the plugin wants what the user says next.' },
  { id: 'gassist:complete:example', text: 'The example of the notification.' },

  // error
  { id: 'gassist:error:during-execution', text: 'It reports that carrying out a request failed.' },
  { id: 'gassist:error:request-id', text: 'It names the request that failed.' },
  { id: 'gassist:error:code', text: 'It has a code.' },
  { id: 'gassist:error:message', text: 'It has a message.' },
  { id: 'gassist:error:example', text: 'The example of the notification.' },

  // log
  { id: 'gassist:log:optional', text: 'A plugin may log, or not.' },
  { id: 'gassist:log:level', text: 'It has a level.' },
  { id: 'gassist:log:message', text: 'It has a message.' },
  { id: 'gassist:log:example', text: 'The example of the notification.' },

  // Timeouts
  { id: 'gassist:timeouts:ping', text: 'A ping is answered within one second.' },
  { id: 'gassist:timeouts:ping-kills', text: 'A plugin that does not answer pings in time is ended.' },
  { id: 'gassist:timeouts:ack', text: 'An input is acknowledged within two seconds.' },
  { id: 'gassist:timeouts:ack-kills', text: 'A plugin that does not acknowledge in time is ended.' },
  { id: 'gassist:timeouts:execute', text: 'A call is complete within thirty seconds.' },
  { id: 'gassist:timeouts:execute-kills', text: 'A plugin whose call is not complete in time is ended.' },
  { id: 'gassist:timeouts:session', text: 'A session lasts five minutes at most.' },
  { id: 'gassist:timeouts:session-kills', text: 'A plugin whose session lasts longer is ended.' },

  // Error codes
  { id: 'gassist:codes:parse-error', text: '-32700, Parse error: no JSON.' },
  { id: 'gassist:codes:invalid-request', text: '-32600, Invalid Request: no JSON-RPC.' },
  { id: 'gassist:codes:method-not-found', text: '-32601, Method not found: an unknown method.' },
  { id: 'gassist:codes:invalid-params', text: '-32602, Invalid params: parameters that are wrong.' },
  { id: 'gassist:codes:internal-error', text: '-32603, Internal error: the plugin itself failed.' },
  { id: 'gassist:codes:plugin-error', text: '-1, Plugin error: an error of the plugin’s own.' },
  { id: 'gassist:codes:timeout', text: '-2, Timeout: the work took too long.' },
  { id: 'gassist:codes:rate-limited', text: '-3, Rate limited: too many requests.' },

  // Manifest
  { id: 'gassist:manifest:protocol-version', text: 'manifest.json should name the version of the protocol.' },
  { id: 'gassist:manifest:manifest-version', text: 'It has manifestVersion 1.' },
  { id: 'gassist:manifest:name', text: 'It has the name of the plugin.' },
  { id: 'gassist:manifest:version', text: 'It has the version of the plugin.' },
  { id: 'gassist:manifest:executable', text: 'It names the program to be started.' },
  { id: 'gassist:manifest:functions', text: 'It lists the functions.' },
  { id: 'gassist:manifest:example', text: 'The example of the file.' },

  // SDK usage
  {
    id: 'gassist:sdk:example',
    text: 'The plugin of the example, with a function that streams and one that does not.',
  },
  { id: 'gassist:sdk:framing', text: 'The SDK frames messages by their length.' },
  { id: 'gassist:sdk:json-rpc', text: 'The SDK speaks JSON-RPC 2.0.' },
  { id: 'gassist:sdk:ping', text: 'The SDK answers pings by itself.' },
  { id: 'gassist:sdk:acknowledgement', text: 'The SDK acknowledges inputs by itself.' },
  { id: 'gassist:sdk:errors', text: 'The SDK catches and reports errors.' },
  { id: 'gassist:sdk:shutdown', text: 'The SDK shuts the plugin down in good order.' },

  // What the author's end promises beyond the letter, because real hosts need it
  {
    id: 'gassist:author:introduction',
    text: 'initialize is answered with description, protocol_version "2.0" and the commands too, as official plugins do.',
  },
  {
    id: 'gassist:author:passthrough',
    text: 'A plugin that takes inputs says so: the capability "passthrough", the command "on_input".',
  },
  {
    id: 'gassist:author:other-version-refused',
    text: 'A protocol_version that is not 2.x is refused with -32602.',
  },
  { id: 'gassist:author:ping-while-busy', text: 'Pings are answered while functions run.' },
  {
    id: 'gassist:author:no-response-to-execute',
    text: 'execute is ended by a notification, never by a response: the emulator loses the text of a response.',
  },
  {
    id: 'gassist:author:data-is-text',
    text: 'data is a string always: the emulator hangs on anything else.',
  },
  { id: 'gassist:author:no-complete-after-error', text: 'After an error no complete follows.' },
  {
    id: 'gassist:author:unknown-function',
    text: 'An unknown function is an error notification with -32601: the emulator shows its message, and not that of a response.',
  },
  { id: 'gassist:author:session', text: 'Each answer says anew whether the session is kept.' },
  {
    id: 'gassist:author:input-without-session',
    text: 'An input without a session is refused, in clear words.',
  },
  {
    id: 'gassist:author:shutdown-request',
    text: 'shutdown with an id, as the emulator sends it, is answered before the plugin exits.',
  },
  {
    id: 'gassist:author:end-of-input',
    text: 'At the end of stdin the plugin finishes what it does and exits with 0.',
  },
  {
    id: 'gassist:author:silent-stderr',
    text: 'Nothing is written to stderr, which hosts mix into the wire.',
  },
  { id: 'gassist:author:size', text: 'No message over 10 MiB is sent.' },
  {
    id: 'gassist:author:oversize',
    text: 'A message over 10 MiB that comes is answered or reported, and survived.',
  },
  {
    id: 'gassist:author:reserved-keys',
    text: 'The keys timestamp and acknowledged are in no other result than those of ping and input.',
  },
  {
    id: 'gassist:author:backpressure',
    text: 'A plugin that streams faster than the host reads waits, or is told to end.',
  },

  // Migration from V1
  { id: 'gassist:migration:install-sdk', text: 'First: install the SDK.' },
  { id: 'gassist:migration:replace-code', text: 'Second: replace the code by such that uses the SDK.' },
  { id: 'gassist:migration:protocol-version', text: 'Third: add protocol_version "2.0" to manifest.json.' },
  { id: 'gassist:migration:no-heartbeats', text: 'Fourth: remove code for heartbeats and threads.' },
  { id: 'gassist:migration:no-pipes', text: 'Fifth: remove code that reads and writes pipes.' },
];
