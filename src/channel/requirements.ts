// What JSON-RPC 2.0 (https://www.jsonrpc.org/specification) demands, section by section.
import type { Requirement } from '../base/requirement.ts';

export const jsonRpcRequirements: readonly Requirement[] = [
  // 2 Conventions
  {
    id: 'jsonrpc:conventions:json-types',
    text: 'Values are those of JSON: strings, numbers, booleans, null, objects and arrays, and arrive as they were sent.',
  },
  {
    id: 'jsonrpc:conventions:case-sensitive',
    text: 'Names that are matched, of members and of methods, are matched with their case.',
  },
  {
    id: 'jsonrpc:conventions:both-roles',
    text: 'One end may be client and server at the same time, toward the same other end.',
  },

  // 3 Compatibility
  {
    id: 'jsonrpc:compatibility:version-tells',
    text: 'An object of 2.0 is known by its member "jsonrpc" with the string "2.0", which one of 1.0 has not.',
  },
  {
    id: 'jsonrpc:compatibility:handles-1.0',
    text: 'An end of 2.0 should be able to deal with objects of 1.0.',
  },

  // 4 Request object
  { id: 'jsonrpc:request:version', text: 'A request has "jsonrpc", exactly "2.0".' },
  { id: 'jsonrpc:request:method-string', text: 'A request names its method with a string.' },
  {
    id: 'jsonrpc:request:method-rpc-reserved',
    text: 'Method names that begin with "rpc." belong to the protocol and its extensions and are used for nothing else.',
  },
  { id: 'jsonrpc:request:params-structured', text: 'The params of a request are an object or an array.' },
  { id: 'jsonrpc:request:params-optional', text: 'A request may have no params.' },
  { id: 'jsonrpc:request:id-types', text: 'The id of a request is a string, a number or null.' },
  { id: 'jsonrpc:request:id-absent', text: 'A request without an id is a notification.' },
  { id: 'jsonrpc:request:id-not-null', text: 'A client should not take null for an id.' },
  { id: 'jsonrpc:request:id-whole', text: 'A client should not take numbers with a fraction for ids.' },
  { id: 'jsonrpc:request:id-returned', text: 'The server answers a request under the id that it came with.' },
  { id: 'jsonrpc:request:id-correlates', text: 'The id tells which request a response belongs to.' },

  // 4.1 Notification
  { id: 'jsonrpc:notification:no-id', text: 'A notification is a request object without the member "id".' },
  { id: 'jsonrpc:notification:no-reply', text: 'The server never answers a notification.' },
  { id: 'jsonrpc:notification:no-reply-in-batch', text: 'Nor does it answer one inside a batch.' },
  {
    id: 'jsonrpc:notification:errors-unseen',
    text: 'The client does not hear of errors that a notification caused.',
  },

  // 4.2 Parameter structures
  { id: 'jsonrpc:params:structured', text: 'Params, where there are any, come by position or by name.' },
  {
    id: 'jsonrpc:params:by-position',
    text: 'By position they are an array, in the order that the server expects.',
  },
  {
    id: 'jsonrpc:params:by-name',
    text: 'By name they are an object, whose members have the names that the server expects.',
  },
  { id: 'jsonrpc:params:by-name-missing', text: 'An expected name that is missing may lead to an error.' },
  { id: 'jsonrpc:params:by-name-exact', text: 'Names of params fit exactly or not at all, case included.' },

  // 5 Response object
  { id: 'jsonrpc:response:always', text: 'The server answers every call but notifications.' },
  { id: 'jsonrpc:response:one-object', text: 'A response is one JSON object.' },
  { id: 'jsonrpc:response:version', text: 'A response has "jsonrpc", exactly "2.0".' },
  { id: 'jsonrpc:response:result-on-success', text: 'A response to a call that went well has a "result".' },
  { id: 'jsonrpc:response:no-result-on-error', text: 'A response to a call that failed has no "result".' },
  { id: 'jsonrpc:response:result-of-method', text: 'The result is what the method says it is.' },
  { id: 'jsonrpc:response:error-on-error', text: 'A response to a call that failed has an "error".' },
  { id: 'jsonrpc:response:no-error-on-success', text: 'A response to a call that went well has no "error".' },
  { id: 'jsonrpc:response:error-object', text: 'The "error" of a response is an error object.' },
  { id: 'jsonrpc:response:id-required', text: 'A response has an "id".' },
  { id: 'jsonrpc:response:id-same', text: 'The id of a response is that of its request.' },
  {
    id: 'jsonrpc:response:id-null',
    text: 'Where the id of the request could not be made out, the id of the response is null.',
  },
  {
    id: 'jsonrpc:response:result-xor-error',
    text: 'A response has a result or an error, never both and never neither.',
  },

  // 5.1 Error object
  { id: 'jsonrpc:error:code-integer', text: 'The code of an error is an integer that tells its kind.' },
  { id: 'jsonrpc:error:message-string', text: 'The message of an error is a string.' },
  { id: 'jsonrpc:error:message-short', text: 'The message of an error should be one short sentence.' },
  { id: 'jsonrpc:error:data-any', text: 'An error may carry any value as "data".' },
  { id: 'jsonrpc:error:data-optional', text: 'An error may have no "data".' },
  { id: 'jsonrpc:error:data-by-server', text: 'What "data" holds is for the server to say.' },
  {
    id: 'jsonrpc:error:reserved-range',
    text: 'Codes from -32768 to -32000 are reserved; those among them without a meaning here are used by nobody.',
  },
  { id: 'jsonrpc:error:parse-error', text: '-32700, Parse error: what came was not JSON.' },
  { id: 'jsonrpc:error:invalid-request', text: '-32600, Invalid Request: the JSON is no request object.' },
  { id: 'jsonrpc:error:method-not-found', text: '-32601, Method not found: there is no such method.' },
  { id: 'jsonrpc:error:invalid-params', text: '-32602, Invalid params: the method cannot use these params.' },
  { id: 'jsonrpc:error:internal-error', text: '-32603, Internal error: the server itself failed.' },
  {
    id: 'jsonrpc:error:server-errors',
    text: '-32000 to -32099, Server error: for errors that an implementation defines.',
  },
  { id: 'jsonrpc:error:application-codes', text: 'All other codes are for applications to define.' },

  // 6 Batch
  { id: 'jsonrpc:batch:array', text: 'A client may send several requests at once as an array.' },
  {
    id: 'jsonrpc:batch:answered-by-array',
    text: 'The server answers a batch with an array of the responses.',
  },
  { id: 'jsonrpc:batch:after-all', text: 'The array is sent when all calls of the batch are done.' },
  { id: 'jsonrpc:batch:response-each', text: 'The array has a response for each request of the batch.' },
  { id: 'jsonrpc:batch:none-for-notifications', text: 'The array has no response for notifications.' },
  {
    id: 'jsonrpc:batch:processed-in-any-order',
    text: 'The server may work on the calls of a batch at the same time and in any order.',
  },
  { id: 'jsonrpc:batch:responses-in-any-order', text: 'The responses may stand in the array in any order.' },
  { id: 'jsonrpc:batch:matched-by-id', text: 'The client matches the responses of a batch by their ids.' },
  {
    id: 'jsonrpc:batch:one-response-when-broken',
    text: 'A batch that is no JSON, or an array without a value, is answered with one response object.',
  },
  {
    id: 'jsonrpc:batch:never-empty',
    text: 'Where a batch leads to no response, nothing is sent; an empty array never is.',
  },

  // 7 Examples
  { id: 'jsonrpc:examples:positional', text: 'Calls with params by position.' },
  { id: 'jsonrpc:examples:named', text: 'Calls with params by name, in any order.' },
  { id: 'jsonrpc:examples:notification', text: 'Notifications, of known and of unknown methods.' },
  { id: 'jsonrpc:examples:unknown-method', text: 'A call of a method that does not exist.' },
  { id: 'jsonrpc:examples:invalid-json', text: 'A call that is not JSON.' },
  { id: 'jsonrpc:examples:invalid-request', text: 'JSON that is no request object.' },
  { id: 'jsonrpc:examples:batch-invalid-json', text: 'A batch that is not JSON.' },
  { id: 'jsonrpc:examples:batch-empty', text: 'An empty array.' },
  { id: 'jsonrpc:examples:batch-of-one-invalid', text: 'An array of one value that is no request.' },
  { id: 'jsonrpc:examples:batch-of-invalid', text: 'An array of several values that are no requests.' },
  { id: 'jsonrpc:examples:batch', text: 'A batch of calls, notifications and things that are neither.' },
  { id: 'jsonrpc:examples:batch-of-notifications', text: 'A batch of notifications alone.' },

  // 8 Extensions
  {
    id: 'jsonrpc:extensions:rpc-prefix',
    text: 'Extensions of the system have methods that begin with "rpc.".',
  },
  { id: 'jsonrpc:extensions:optional', text: 'No end has to know any extension.' },
];
