import { paired, spreadOf } from '../spread.ts';
import { API_PER_SECOND, BESIDE_HITS_PER_SECOND } from '../statistics/beside.ts';
import type { CollectingResult } from '../statistics/collecting.ts';
import type { CommitterResult } from '../statistics/committer.ts';
import { PAUSE_HITS_PER_SECOND, type PauseResult } from '../statistics/pauses.ts';
import { COLLECTORS, CONNECTIONS, type CollectorName } from '../statistics/rates.ts';
import type { ReadingResult } from '../statistics/reading.ts';
import { type MeasuredPart, PARTS, type StatisticsResults } from '../statistics/results.ts';
import { table, targetTable, whole } from './markdown.ts';
import { statisticsReason } from './statistics-reasons.ts';
import { figuresOf, medianOf, statisticsTargets } from './statistics-targets.ts';
import { ratioText } from './target.ts';

/** The part of docs/performance.md about collecting hits and reading statistics. */
export function statisticsDocument(results: StatisticsResults): string {
  const targets = statisticsTargets(results);
  const missed = targets.filter(({ holds }) => holds === false);
  const { collecting, committing, reading } = results;
  return `# Statistics

\`npm run bench -- statistics\` measures these figures and keeps them in \`packages/bench/results/statistics-full.json\`.

## Targets

Ratios are the median, minimum and maximum of paired rounds, in which both sides ran one directly after the other, on the same machine and the same PostgreSQL.

${targetTable(targets)}

${
  missed.length === 0
    ? 'Everything that was measured meets its target.'
    : `Missed targets:\n\n${missed.map(({ figure, must, reached }) => `- ${figure}: ${reached} instead of ${must}. Reason: ${statisticsReason(figure)}`).join('\n')}`
}
${collecting === undefined ? '' : collectingText(collecting.result)}${committing === undefined ? '' : committingText(committing.result)}${reading === undefined ? '' : readingText(reading.result)}
## How the statistics were measured

${table(
  ['Part', 'Date', 'Commit', 'Command', 'Node', 'Rounds', 'Machine'],
  PARTS.flatMap((name) => (results[name] === undefined ? [] : [measuredRow(name, results[name])])),
)}

${collecting?.database ?? committing?.database ?? reading?.database ?? ''}. Hitherto runs as \`npm start\` starts it. Any response but 202, or a dropped hit, fails the run.
`;
}

function measuredRow(name: string, part: MeasuredPart<unknown>): string[] {
  const { date, commit, command, node, rounds, secondsARound, machine } = part;
  return [name, date, commit, `\`${command}\``, node, `${rounds} of ${secondsARound} s`, machine];
}

function collectingText(result: CollectingResult): string {
  const { half, exclusions, beside, bytesPerHit } = result;
  const names = Object.keys(COLLECTORS) as CollectorName[];
  const catchUp = Math.max(...figuresOf(result, 'hitherto', (sample) => sample.catchUpSeconds));
  return `
## Collecting

${table(
  ['Collector', 'What it is'],
  names.map((name) => [name, COLLECTORS[name]]),
)}

${CONNECTIONS} connections send pageviews for ten websites, always of new visitors (three hits each, some 250 user agents, a quarter on IPv6). Each sends its next hit when the last one is acknowledged. Hitherto does all that it does in production: exclusions, bots, spam, sources, countries, limits per client, metrics. After a run, hitherto, usual and umami have stored as many rows as they acknowledged hits.

${table(
  ['', 'hits/s', 'hitherto against it', 'p50 ms', 'p99 ms', 'node CPU µs', 'database CPU µs', 'memory MB'],
  names.map((name) => [
    name,
    whole(medianOf(result, name, (sample) => sample.hitsPerSecond)),
    ratioText(
      paired(
        figuresOf(result, 'hitherto', (sample) => sample.hitsPerSecond),
        figuresOf(result, name, (sample) => sample.hitsPerSecond),
      ),
    ),
    medianOf(result, name, (sample) => sample.p50).toFixed(1),
    medianOf(result, name, (sample) => sample.p99).toFixed(1),
    whole(medianOf(result, name, (sample) => sample.nodeCpu)),
    whole(medianOf(result, name, (sample) => sample.databaseCpu)),
    whole(Math.max(...figuresOf(result, name, (sample) => sample.memory))),
  ]),
)}

CPU is per hit, from /proc. Hitherto's database CPU includes computing the visits of these hits, also after the load: they were up to date at most ${catchUp.toFixed(1)} s after a round. Every read includes hits whose visits are not up to date.

- At half of the highest rate, ${whole(half.perSecond)} hits/s: p50 ${half.p50.toFixed(1)} ms, p99 ${half.p99.toFixed(1)} ms, longest ${half.longest.toFixed(1)} ms, n ${whole(half.good)}.
- With 1,000 excluded parameters and 1,000 excluded addresses and networks: ${whole(spreadOf(exclusions.with).median)} hits/s, without ${whole(spreadOf(exclusions.without).median)}.
- ${beside.map(({ operation, alone, beside: p99 }) => `${operation}, ${API_PER_SECOND} a second: p99 ${spreadOf(p99).median.toFixed(1)} ms beside ${whole(BESIDE_HITS_PER_SECOND)} hits/s, ${spreadOf(alone).median.toFixed(1)} ms alone`).join('; ')}.
- Disk: ${whole(bytesPerHit.hit)} bytes per hit with its indexes, ${whole(bytesPerHit.all)} with its visit and everything else, over ${whole(bytesPerHit.hits)} collected hits.
`;
}

function committingText(results: readonly CommitterResult[]): string {
  return `
## The committer

The group commit, fed from memory without HTTP, is compared with a loop of COPY that writes batches of the same size into the same table on one connection. The committer also writes the batch's id, and marks the visitors whose visits have to be computed.

${table(
  ['senders', 'hits per batch', 'committer, hits/s', 'COPY, hits/s', 'committer against COPY'],
  results.map(({ senders, batch, committer, copy }) => [
    whole(senders),
    whole(batch),
    whole(spreadOf(committer).median),
    whole(spreadOf(copy).median),
    ratioText(paired(committer, copy)),
  ]),
)}
`;
}

function readingText(result: ReadingResult): string {
  const { closedHits, closedDays, openHits, summarisedHits, usual, megabytes } = result;
  const pause = (name: string, { seconds, p99, longest }: PauseResult) => [
    name,
    seconds.toFixed(1),
    p99.toFixed(1),
    longest.toFixed(0),
  ];
  return `
## Reading

A website has ${whole(closedHits)} hits on the ${closedDays} days before today, ${whole(closedHits / closedDays)} a day. This fills the 28 days of the page, and the 28 days before that it compares them with. Pages are read over HTTP, one after the other.

${table(
  ['Statistics page', 'p50 ms', 'p95 ms', 'n', '503'],
  [
    ['28 days, all days closed', result.closed] as const,
    [`the same, with ${whole(openHits)} hits today`, result.open] as const,
    ['the same, filtered by channel', result.filtered] as const,
  ].map(([name, { p50, p95, reads, refused }]) => [name, p50.toFixed(1), p95.toFixed(1), whole(reads), whole(refused)]),
)}

The usual query (totals, a series and two lists of ten by \`count(distinct …)\` and \`group by\`, on raw hits, with two parallel workers) takes ${whole(spreadOf(usual.usual).median)} ms for the same 28 days. The whole page takes ${spreadOf(usual.page).median.toFixed(1)} ms: ${ratioText(paired(usual.usual, usual.page))} as fast. Both find ${whole(usual.totals.visitors)} visitors and ${whole(usual.totals.pageviews)} pageviews.

While ${PAUSE_HITS_PER_SECOND} hits a second are collected for another website:

${table(
  ['Background work', 's', 'p99 of a hit, ms', 'longest, ms'],
  [
    pause('none', result.alone),
    pause(`a day of ${whole(summarisedHits)} hits is summarised`, result.summarising),
    pause(`the website of ${whole(closedHits + openHits)} hits is deleted`, result.deleting),
  ],
)}

Tables with their indexes: hits ${whole(megabytes.hit)} MB, visits ${whole(megabytes.visit)} MB, summaries ${whole(megabytes.summary)} MB.
`;
}
