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
  /** The stop, after the drain; the process ends then whatever is left. */
  stop: 14_000,
  /** The listen queue counts as empty if no connection has come for this long. */
  quietAtStop: 20,
  /** The longest wait for that. */
  emptyingAtStop: 500,
  /** From then on: requests that were accepted, to arrive whole and to be answered. */
  acceptedAtStop: 11_000,
  /** From then on: connections without a request yet. */
  unusedAtStop: 500,
} as const;
