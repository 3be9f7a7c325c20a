// The way to one client who follows events, whatever carries them: server-sent events, WebSocket.

export interface Outlet {
  /** Bytes that the client has not taken yet. */
  readonly waitingBytes: number;
  /** Whether it takes more at once; where not, that is told when it has taken all. */
  write(event: OutgoingEvent): boolean;
  /** Sends a sign of life. */
  beat(): boolean;
  /** Once all that waits is sent. */
  end(): void;
  /** Without a word. */
  destroy(): void;
  onDrained(listener: () => void): void;
  /** Called at once where it is over already. */
  onClosed(listener: () => void): void;
}

export interface OutgoingEvent {
  readonly name: string;
  readonly data: unknown;
  /** By which a client that comes back says what it has seen. */
  readonly id?: number | undefined;
}
