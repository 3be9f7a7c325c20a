// One JSON-RPC 2.0 unit, in the form the rest of the code works with.

export type Id = number | string | null;

export type Request = {
  readonly kind: 'request';
  readonly id: Id;
  readonly method: string;
  /** An object or an array; undefined when there is none. */
  readonly params: unknown;
};

export type Notification = {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: unknown;
};

export type Success = { readonly kind: 'success'; readonly id: Id; readonly result: unknown };

export type Failure = { readonly kind: 'failure'; readonly id: Id; readonly error: ErrorObject };

export type Response = Success | Failure;

export type ErrorObject = { readonly code: number; readonly message: string; readonly data?: unknown };

export type Single = Request | Notification | Response;

export type Batch<Item = Single> = { readonly kind: 'batch'; readonly items: readonly Item[] };

/** What can be sent. */
export type Message = Single | Batch;

/** Input that is not a message, with what is still known of it. */
export type Invalid = {
  readonly kind: 'invalid';
  /**
   * `parse`: no JSON. `request` and `response`: JSON that is neither; a response is what has a result or an error.
   * `either`: an id alone, which is a request without a method or, from ends that leave out an empty result, a response.
   */
  readonly as: 'parse' | 'request' | 'response' | 'either';
  /** Its id where it has a usable one, else null. */
  readonly id: Id;
  readonly reason: string;
  /** The body it came in. */
  readonly text: string;
};

/** What can be received. */
export type Received = Single | Invalid | Batch<Single | Invalid>;
