/** Writes one line to the log of the program; `details` hold error codes and reasons, and no secret. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>) => void;
