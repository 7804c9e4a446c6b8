/** All timeouts of HTTP, in milliseconds. docs/reliability.md, "Times", says how they fit together with the database's. */
export const HTTP_TIMEOUTS = {
  /** A request, from its first to its last byte: 1 MiB at 0.6 Mbit/s. */
  request: 15_000,
  /** Its headers; also a TLS handshake. */
  headers: 10_000,
  /** How often Node checks the two above: a 408 is late by at most this. */
  check: 2_000,
  /** A connection between two requests; proxies close theirs first, after 60 s. */
  keepAlive: 72_000,
  /** A connection with a request, without traffic. */
  silence: 20_000,
  /** The whole shutdown after the drain; then the process ends in any case. */
  stop: 14_000,
  /** The listen queue counts as empty if no connection has come for this long, checked every millisecond. */
  quietAtStop: 20,
  /** The longest wait for that. */
  emptyingAtStop: 500,
  /** From then on, for accepted requests to arrive completely and get their responses. */
  acceptedAtStop: 11_000,
  /** From then on, for connections without a request so far. */
  unusedAtStop: 500,
  /** From the end of the drain, for jobs, and for imports and their deletion; then they are undone. */
  backgroundAtStop: 8_000,
} as const;
