const CPU_OF_A_HIT =
  'the process is the limit: it takes all of one core. Most of that is what every request needs: Node’s HTTP, streams and sockets with the kernel take 31 %, Fastify 11 %, garbage collection 8 %, compiling 5 %. Of the hit itself, the batch with its COPY takes 8 %, the HMAC of the visitor 6 %, the client’s address and its limit 6 %, and nothing else more than 4 %. Measured by hand, with perf (cpu-clock) under 64 connections. Other runs gave 1.71 to 2.69 ×; the host is shared, and the same program stored 2,665 to 5,371 hits/s on one day.';

/** Why a figure misses its target, by the name of the figure. The report uses a reason only if the target is missed. */
const REASONS: Readonly<Record<string, string>> = {
  'hits/s against Fastify + Kysely as usually written': CPU_OF_A_HIT,
  'hits/s against Umami 3’s write shape': 'as above.',
  'hits/s against a server that stores nothing': 'as above.',
  'CPU per hit, process and database, against as usually written': 'as above.',
  'the committer alone against a bare COPY loop':
    'a batch takes four round trips (begin; the batch’s id, the marks of changed visitors and the numbers of the websites; COPY; commit), a bare COPY takes one. With more hits per batch, the difference is smaller.',
  'p99 of a hit at half of the highest rate':
    'the host is shared: on one day the same program had 42 ms at 1,881 hits/s, and 133 ms at 1,332 hits/s.',
  'show beside 2,000 hits/s, p99 against alone':
    'hits and show share one process, which shares two cores with the load generator and PostgreSQL. Alone, p99 is 3 to 7 ms; beside the hits it was 22 to 51 ms in ten rounds, and 8 to 43 ms on another host. Run a second instance for the API if that matters.',
  'list beside 2,000 hits/s, p99 against alone': 'as above.',
  'memory of the process at the highest rate, the peak':
    'V8 collects old garbage late, and more hits per second make more of it: the peak was 250 MB at 3,763 hits/s, and 258 MB at 5,371 hits/s.',
  'disk per hit, index included':
    'most of it is the text of the hits: a page of 36 characters, a host of 14, and names. The entry in the index of visitors, whose order is random, takes 40 bytes.',
  'page of 28 closed days, 10 M hits: p95':
    'a page has 13 lists of all values of the period, with their number: 24,000 to 48,000 rows from sums of weeks and of days, as the weekdays fall, because each of 2,000 pages is on three lists. Reading and grouping them by text takes 22 ms of the database’s CPU (by hand). The rest is what every page takes.',
};

/** Why a figure misses its target, as far as it is known. */
export function statisticsReason(figure: string): string {
  return REASONS[figure] ?? 'unknown.';
}
