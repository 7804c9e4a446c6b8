/** The messages between the primary and its workers. */
export type Message =
  /** A worker serves requests. */
  | { readonly type: 'ready' }
  /** A worker has closed the socket on which all listen; from the primary: all have. */
  | { readonly type: 'closed' }
  /** A worker asks for the metrics of all. The response has their text, unless one did not send its own. */
  | { readonly type: 'metrics'; readonly id: number; readonly text?: string };

const TYPES: readonly unknown[] = ['ready', 'closed', 'metrics'] satisfies Message['type'][];

/** Whether it is one of ours, and not of a library. */
export function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'type' in message && TYPES.includes(message.type);
}

/** The environment variable with the number of a worker. */
export const WORKER_NUMBER = 'HITHERTO_WORKER';
