/**
 * Work that is done regularly in the background. Every instance runs it (with `WORKERS`, its first worker does); a lock
 * or a claim in the database gives each piece of the work to one of them.
 */
export interface Job {
  /** The name in the log. */
  readonly name: string;
  /** Milliseconds between the end of one run and the start of the next. */
  readonly every: number;
  /**
   * Does a bounded piece of the work, or less when the signal aborts. Resolves to `true` if more is left, which is then done
   * without waiting for the interval.
   */
  readonly work: (signal: AbortSignal) => Promise<boolean>;
}
