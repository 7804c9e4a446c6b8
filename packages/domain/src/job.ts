/** Work that is done regularly in the background. Every instance runs it; instances share it by means of the database. */
export interface Job {
  /** The name in the log. */
  readonly name: string;
  /** Milliseconds between the end of one run and the start of the next. */
  readonly every: number;
  /**
   * Does a bounded piece of the work, or less when the signal aborts. Resolves to `true` if more is left, which is then done
   * at once.
   */
  readonly work: (signal: AbortSignal) => Promise<boolean>;
}
