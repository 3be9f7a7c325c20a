// Sizes that hold unless a setting says otherwise.

export const KiB = 1024;
export const MiB = 1024 * KiB;

/** The largest message body taken or sent, in bytes. */
export const DEFAULT_FRAME_LIMIT = 16 * MiB;

/** How many bytes may wait in a pipe before writers are asked to wait: enough to keep both processes busy. */
export const DEFAULT_QUEUE_MARK = 256 * KiB;

/** How many bytes may wait in a pipe at all; then writing fails. */
export const DEFAULT_QUEUE_LIMIT = 16 * MiB;
