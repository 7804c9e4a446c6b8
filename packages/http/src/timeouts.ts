/**
 * How long what comes over HTTP may take, in milliseconds. Why each is what it is, and how they fit together and with those of
 * the database, stands in docs/reliability.md, "Times", which a test compares with this.
 */
export const HTTP_TIMEOUTS = {
  /** A request, from its first byte to its last. */
  request: 15_000,
  /** Its headers; also a handshake of TLS. */
  headers: 10_000,
  /** How often the two above are looked at: a 408 comes at most this much late. */
  check: 2_000,
  /** A connection between two requests. */
  keepAlive: 72_000,
  /** A connection with a request on it, on which nothing moves. */
  silence: 20_000,
  /** The whole stop; the process ends then whatever is left. */
  stop: 15_000,
  /** A service that stops goes on serving, each answer saying that it is the last on its connection. */
  farewell: 1_000,
  /** From then on: requests that were accepted, to arrive whole and to be answered. */
  acceptedAtStop: 11_000,
  /** From then on: connections without a request yet. */
  unusedAtStop: 500,
} as const;
