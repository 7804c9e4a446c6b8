const CPU_OF_A_HIT =
  'the process is the limit: it takes all of one core. Most of it goes to what every request needs: Node’s HTTP, streams and sockets with the kernel take 31 %, Fastify 11 %, garbage collection 8 %, compiling 5 %. Of the hit itself, the batch with its COPY takes 8 %, the HMAC of the visitor 6 %, the client’s address and its limit 6 %, and nothing else more than 4 %. Measured by hand, with perf (cpu-clock) under 64 connections.';

/** Why a figure misses its target, by the name of the figure. The report uses a reason only if the target is missed. */
const REASONS: Readonly<Record<string, string>> = {
  'hits/s against Fastify + Kysely as usually written': CPU_OF_A_HIT,
  'hits/s against Umami 3’s write shape': 'as above.',
  'hits/s against a server that stores nothing': 'as above.',
  'CPU a hit, process and database, against as usually written': 'as above.',
  'the committer alone against a bare COPY loop':
    'a batch takes four round trips (begin; the batch’s id, the marks of changed visitors and the numbers of the websites; COPY; commit), a bare COPY one. With more hits a batch they weigh less.',
  'show beside 2,000 hits/s, p99 against alone':
    'the highest rate on this machine is below 2,000 hits/s, so that show waits for a process without a free moment. Run a second instance for the API then.',
  'list beside 2,000 hits/s, p99 against alone': 'as above.',
  'disk a hit, index included':
    'most of it is text that the hits have: a page of 36 characters, a host of 14, and names. 40 bytes are the entry in the index of visitors, whose order is random.',
  'page of 28 closed days, 10 M hits: p95':
    'the summaries of the period have 163,000 rows: each of 2,000 pages is on three lists on each of 28 days. Grouping them by text is most of the time. A website with fewer distinct pages a day is faster in proportion.',
  'the same with today’s 300,000 hits open: p95':
    'an open day has no summary: each visit is grouped by 15 dimensions, and each hit is joined with its visit, for every page that is read. Nothing is kept in between, because a hit is in every number as soon as it is acknowledged. The statement reaches its limit of 8 s, and the page is 503.',
  'longest pause of collecting while a day of 1 M hits is summarised or 10 M hits are deleted':
    'without background work it was 1,173 ms, in the first line of the table: the machine was busy with other work. It is to be measured again.',
  'the same with a filter too: p95':
    'summaries know no combination of dimensions, so that a filter reads the visits and hits of the whole period. The statement reaches its limit of 8 s, and the page is 503.',
};

/** Why a figure misses its target, as far as it is known. */
export function statisticsReason(figure: string): string {
  return REASONS[figure] ?? 'unknown.';
}
