/** A request as a line of an access log has it. Absent fields are `undefined`. */
export interface LogRequest {
  readonly time: Date;
  /** Empty if the line holds no HTTP request, such as `"-"` or the bytes of a TLS handshake. */
  readonly method: string;
  /** The path with the query, or a whole address. */
  readonly target: string;
  readonly status: number;
  /** The host that was asked for; it may have a port. */
  readonly host?: string | undefined;
  /** Of the client. */
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly referrer?: string | undefined;
  /** As in Accept-Language. */
  readonly language?: string | undefined;
  /** Of the response. */
  readonly contentType?: string | undefined;
}

/** A line that is neither a request nor a fault: a header, or a message of the server. */
export const NO_REQUEST = 'no request';

/** What a line holds; `undefined` if it cannot be read. */
export type ReadLine = LogRequest | typeof NO_REQUEST | undefined;

/** Reads the lines of one log, in their order. */
export type ReadLogLine = (line: string) => ReadLine;
