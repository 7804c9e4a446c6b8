/** A date and time in one word, such as `2026-11-20T10:00:00+00:00`. */
const TIME = String.raw`\d{4}-\d{2}-\d{2}T\S+`;

/** What collectors of logs write before each line, or around it. */
const PREFIXES: readonly RegExp[] = [
  // Syslog (RFC 3164), also with times as `journalctl -o short-iso` and newer servers write them.
  new RegExp(String.raw`^(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|${TIME}) \S+ [^\s:[]+(?:\[\d+\])?: `),
  // Syslog (RFC 5424), without structured data.
  new RegExp(String.raw`^(?:<\d{1,3}>)?1 ${TIME} \S+ \S+ \S+ \S+ - `),
  // Docker Compose.
  /^[\w.-]+ +\| /,
  // Containers of Kubernetes.
  new RegExp(`^${TIME} std(?:out|err) [FP] `),
];

/** The share of the lines that must have a prefix for it to be the log's. */
const MIN_LINES = 0.5;

/** Takes the prefix of these lines off a line; `undefined` if they have none. */
export function prefixRemover(lines: readonly string[]): ((line: string) => string) | undefined {
  const prefix = PREFIXES.find(
    (known) => lines.filter((line) => known.test(line)).length >= Math.max(1, MIN_LINES * lines.length),
  );
  return prefix && ((line) => line.replace(prefix, ''));
}
