import { paired, type Spread, spreadOf } from '../spread.ts';
import type { CollectingResult } from '../statistics/collecting.ts';
import type { CollectingSample, CollectorName } from '../statistics/rates.ts';
import type { StatisticsResults } from '../statistics/results.ts';
import { atMost, ratioAtLeast, ratioAtMost, type Target } from './target.ts';

/** The targets of collecting and reading, with the figures of these results. */
export function statisticsTargets({ collecting, committing, reading }: StatisticsResults): Target[] {
  const http = collecting?.result;
  const ratio = (pick: (sample: CollectingSample) => number, base: CollectorName) =>
    paired(figuresOf(http, 'hitherto', pick), figuresOf(http, base, pick));
  const rate = (sample: CollectingSample) => sample.hitsPerSecond;
  const cpu = (sample: CollectingSample) => sample.nodeCpu + sample.databaseCpu;
  const sameAsHttp = committing?.result.find(({ senders }) => senders === 64);
  const read = reading?.result;
  const pauses = read && Math.max(read.summarising.longest, read.deleting.longest);
  const memory = http && Math.max(...figuresOf(http, 'hitherto', (sample) => sample.memory));

  return [
    ratioAtLeast('hits/s against Fastify + Kysely as usually written', 4, 6, ratio(rate, 'usual')),
    ratioAtLeast('hits/s against Umami 3’s write shape', 5, 8, ratio(rate, 'umami')),
    ratioAtLeast('hits/s against a server that stores nothing', 0.25, 0.4, ratio(rate, 'nothing')),
    ratioAtLeast(
      'the committer alone against a bare COPY loop',
      0.6,
      0.8,
      paired(sameAsHttp?.committer ?? [], sameAsHttp?.copy ?? []),
    ),
    atMost('p99 of a hit at half of the highest rate', 50, 20, http?.half.p99),
    ratioAtMost('CPU per hit, process and database, against as usually written', 0.25, 0.12, ratio(cpu, 'usual')),
    ratioAtLeast(
      '1,000 excluded parameters and 1,000 addresses against none',
      0.85,
      0.95,
      paired(http?.exclusions.with ?? [], http?.exclusions.without ?? []),
    ),
    ratioAtMost('show beside 2,000 hits/s, p99 against alone', 3, 1.5, besideOf(http, 'show')),
    ratioAtMost('list beside 2,000 hits/s, p99 against alone', 3, 1.5, besideOf(http, 'list')),
    atMost('page of 28 closed days, 10 M hits: p95', 100, 50, read?.closed.p95),
    atMost('the same with today’s 300,000 hits open: p95', 500, 100, read?.open.p95),
    atMost('the same with a filter too: p95', 3_000, 500, read?.filtered.p95),
    ratioAtLeast(
      'the page against the usual query on raw hits',
      20,
      50,
      paired(read?.usual.usual ?? [], read?.usual.page ?? []),
    ),
    atMost(
      'longest pause of collecting while a day of 1 M hits is summarised or 10 M hits are deleted',
      1_000,
      200,
      pauses,
    ),
    atMost('disk per hit, index included', 200, 140, http?.bytesPerHit.hit, 'bytes'),
    atMost('tracker, gzip -9', 1_100, 900, http?.trackerBytes, 'bytes'),
    atMost('memory of the process at the highest rate, the peak', 250, 150, memory, 'MB'),
  ];
}

/** The figures of a collector in the order of the rounds. */
export function figuresOf(
  result: CollectingResult | undefined,
  name: CollectorName,
  pick: (sample: CollectingSample) => number,
): number[] {
  return (result?.samples ?? []).filter(({ collector }) => collector === name).map(pick);
}

export function medianOf(
  result: CollectingResult,
  name: CollectorName,
  pick: (sample: CollectingSample) => number,
): number {
  return spreadOf(figuresOf(result, name, pick)).median;
}

function besideOf(result: CollectingResult | undefined, operation: 'show' | 'list'): Spread {
  const found = result?.beside.find((beside) => beside.operation === operation);
  return paired(found?.beside ?? [], found?.alone ?? []);
}
