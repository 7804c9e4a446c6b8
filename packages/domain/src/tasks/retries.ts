const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after each failure a mail is tried again; after one more failure it is abandoned. */
const MAIL_RETRIES_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS] as const;

/** The delay before a mail is tried again after this many failures, in milliseconds; `undefined` if it is abandoned. */
export function retryDelay(failures: number): number | undefined {
  return MAIL_RETRIES_MS[failures - 1];
}
