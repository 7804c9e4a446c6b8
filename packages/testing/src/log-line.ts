const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A successful request that a log has. */
interface LoggedRequest {
  readonly time: Date;
  readonly address: string;
  readonly path: string;
  readonly referrer: string | undefined;
  readonly userAgent: string;
}

/** A line of nginx's format `combined`. */
export function lineOfLog({ time, address, path, referrer = '-', userAgent }: LoggedRequest): string {
  const text = time.toISOString();
  const clock = `${text.slice(8, 10)}/${MONTHS[time.getUTCMonth()]}/${text.slice(0, 4)}:${text.slice(11, 19)} +0000`;
  return `${address} - - [${clock}] "GET ${path} HTTP/1.1" 200 12345 "${referrer}" "${userAgent}"\n`;
}
