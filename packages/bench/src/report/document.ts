import type { InstancesResult } from '../instances.ts';
import type { OperationName } from '../operations.ts';
import { type Results, samplesOf } from '../results.ts';
import type { ScaleResult, Timing } from '../scale.ts';
import { paired, spreadOf } from '../spread.ts';
import { VARIANTS, type VariantName } from '../variants.ts';
import { table, targetTable, whole } from './markdown.ts';
import { reasonOf } from './reasons.ts';
import { ratioText, type Target } from './target.ts';
import { targetsOf } from './targets.ts';

/** The part of docs/performance.md about the API. */
export function documentOf(results: Results): string {
  const targets = targetsOf(results);
  const missed = targets.filter(({ holds }) => holds === false);
  const unmeasured = targets.filter(({ holds }) => holds === undefined);
  return `# The API

\`${results.command}\` measures these figures and keeps them in \`packages/bench/results/${results.mode}.json\`.

![Requests per second of the variants](performance.svg)

## Targets

Figures with a range are the median, minimum and maximum of ${results.rounds} paired rounds. Times of requests are the p50 in the table of lists and searches. Ratios compare rounds that ran directly one after the other. Memory is the peak after any round of any operation.

${targetTable(targets)}

${verdict(missed, results)}${unmeasured.length === 0 ? '' : ' `npm run bench -- --full` measures the rest.'}

## What was compared

${table(
  ['Variant', 'What it is'],
  Object.entries(VARIANTS).map(([name, text]) => [name, text]),
)}

All use the same database, schema, indexes and durability; embedded has its own database, filled the same way. For each request, Hitherto as shipped writes a log line (to a file here), records metrics, applies the account's limit (so high that nothing is refused), validates, and assigns an id. The two rivals have no logging, metrics or limits, which is in their favour. For each request they look up the key and then the website; Hitherto caches a key for 800 ms. All pools have 10 connections; Hitherto has one more, for short reads. "Logs and limits off" still records metrics, because they cannot be turned off.

${Object.keys(results.samples)
  .map((name) => operationTable(results, name as OperationName))
  .join('\n\n')}

CPU is in microseconds per request, of the Node process and of all processes of the database, from /proc. Memory is the resident memory of the Node process after a round, in MB; the table has the maximum of all rounds.
${pgbenchText(results)}
${results.scale === undefined ? '' : scaleText(results.scale)}${results.instances === undefined ? '' : instancesText(results.instances, results.generator)}
## How it was measured

- ${results.date}, commit ${results.commit}, command \`${results.command}\`
- Node ${results.node}; ${results.machine}. Hitherto runs with \`node --max-semi-space-size=4\`, like \`npm start\`, which affects its memory; the rivals run with Node's defaults.
- ${results.database}
- Load from ${results.generator} with ${results.connections} connections on the same machine, ${results.rounds} rounds of ${results.secondsARound} s, in each of which the variants take turns; all are warmed up first. The account has ${results.websites.toLocaleString('en')} websites.
- Before the load, the status of one response of each operation and variant is checked. Under load, wrk reports responses from 400 up, timeouts and broken connections; autocannon also reports every unexpected status. Anything reported fails the run, except with two instances, where it is counted.
`;
}

function verdict(missed: readonly Target[], results: Results): string {
  if (missed.length === 0) return 'Everything that was measured meets its target.';
  const lines = missed.map(
    ({ figure, must, reached }) => `- ${figure}: ${reached} instead of ${must}. Reason: ${reasonOf(figure, results)}`,
  );
  return `Missed targets:\n\n${lines.join('\n')}\n`;
}

function operationTable(results: Results, operation: OperationName): string {
  const names = (Object.keys(VARIANTS) as VariantName[]).filter(
    (name) => samplesOf(results, operation, name).length > 0,
  );
  const base = names[0];
  const rows = names.map((name) => {
    const samples = samplesOf(results, operation, name);
    const median = (pick: (sample: (typeof samples)[number]) => number | undefined) =>
      spreadOf(samples.map((sample) => pick(sample) ?? Number.NaN)).median;
    const ratio = paired(
      samples.map((sample) => sample.requestsPerSecond),
      samplesOf(results, operation, base ?? name).map((sample) => sample.requestsPerSecond),
    );
    return [
      name,
      whole(median((sample) => sample.requestsPerSecond)),
      ratioText(ratio),
      median((sample) => sample.p50).toFixed(2),
      median((sample) => sample.p99).toFixed(2),
      whole(median((sample) => sample.nodeCpu)),
      whole(median((sample) => sample.databaseCpu)),
      whole(Math.max(...samples.map((sample) => sample.memory ?? Number.NaN))),
    ];
  });
  return `### ${operation}\n\n${table(
    ['', 'requests/s', `against ${base}`, 'p50 ms', 'p99 ms', 'node CPU µs', 'database CPU µs', 'memory MB'],
    rows,
  )}${operation === 'search' ? searchText(results) : ''}`;
}

/** Why a rare term costs Hitherto more than the usual variant; empty where it does not. */
function searchText(results: Results): string {
  const rates = (name: VariantName) => samplesOf(results, 'search', name).map((sample) => sample.requestsPerSecond);
  const { median } = paired(rates('hitherto'), rates('usual'));
  if (Number.isNaN(median) || median >= 1) return '';
  return `\n\nHitherto serves ${median.toFixed(2)} times as many of these searches as the usual variant. The term is rare: 12 of 100,000 websites have it. It is not known beforehand how rare a term is, so Hitherto first reads 1,001 websites in the order of the list, which fills the page of a frequent term without finding and sorting all its matches (100,000, say). Only if the page is not full by then does it query the trigram index, in a second statement. The usual variant always uses the trigram index, with two statements at a time, and pays for frequent terms instead: it counts every match, while Hitherto stops at 10,001. The next table has such a term.`;
}

function pgbenchText({ pgbench, pgbenchVersion }: Results): string {
  if (pgbench.length === 0)
    return '\npgbench is not installed, so the limit of the database itself was not measured.\n';
  return `\nThe limit of the database itself: ${pgbenchVersion}, ten connections, only the prepared statement of show: ${whole(spreadOf(pgbench).median)} per second (median of ${pgbench.length}).\n`;
}

function scaleText({ sizes: several, oneOfMany, databaseMegabytes, largest }: ScaleResult): string {
  const sizes = [...several, ...(largest === undefined ? [] : [largest.size])];
  const requests = [...new Set(sizes.flatMap(({ timings }) => timings.map(({ request }) => request)))];
  const timed = (timings: ScaleResult['oneOfMany'], request: string) => {
    const timing = timings.find((candidate) => candidate.request === request);
    return timing === undefined ? '' : timingText(timing);
  };
  const headings = sizes.map(({ websites }) => websites.toLocaleString('en'));
  const more = oneOfMany.map(({ request }) => request).filter((request) => !requests.includes(request));
  return `
## Lists and searches by size

One database of ${databaseMegabytes.toLocaleString('en')} MB holds the accounts of up to 1,000,000 websites, and 1,000 more with 1,000 websites each; the last column is one of these.${largest === undefined ? '' : ` The account of 5,000,000 has its own database of ${largest.databaseMegabytes.toLocaleString('en')} MB; ${shortSearchesText(largest.size.timings)}`} Requests are sent over HTTP one after the other, after a second of warm-up. Cells are p50 / p99 in milliseconds, and the number of requests. A page has 25 websites and its total; searches are sorted by address.

${table(
  ['Request', ...headings, '1 of 1,000'],
  [...requests, ...more].map((request) => [
    request,
    ...sizes.map(({ timings }) => timed(timings, request)),
    timed(oneOfMany, request),
  ]),
)}

What PostgreSQL reads for a page (EXPLAIN, blocks of 8 KiB), and for the total, which is counted up to 10,001:

${table(
  ['', ...headings],
  [
    ['first page, blocks', ...sizes.map(({ firstPage }) => whole(firstPage.pageBuffers))],
    ['page at 90 %, blocks', ...sizes.map(({ farPage }) => whole(farPage.pageBuffers))],
    ['total, blocks', ...sizes.map(({ firstPage }) => whole(firstPage.countBuffers))],
    ['total, ms', ...sizes.map(({ firstPage }) => firstPage.countMs.toFixed(2))],
  ],
)}
`;
}

function timingText({ requests, p50, p99, refused = 0 }: Timing): string {
  if (refused === requests) return `503 after ${(p50 / 1000).toFixed(1)} s (${whole(requests)})`;
  return `${p50.toFixed(2)} / ${p99.toFixed(2)} (${whole(requests)}${refused === 0 ? '' : `, ${whole(refused)} of them 503`})`;
}

/** The outcome of searches of 1 or 2 characters in the largest account, which may time out. */
function shortSearchesText(timings: readonly Timing[]): string {
  const short = timings.filter(({ refused }) => refused !== undefined);
  if (short.length === 0) return 'searches of 1 or 2 characters were not timed there.';
  const refused = short.filter((timing) => timing.refused !== 0).length;
  const ran = `searches of 1 or 2 characters ran ${short[0]?.requests} times each there, after one warm-up`;
  return refused === 0
    ? `${ran}; all of them were 200.`
    : `${ran}; ${refused} of the ${short.length} were 503, because a statement may take 5 s.`;
}

function instancesText(
  { requests, answeredBy, failures, refusedAfterMs, afterStop }: InstancesResult,
  generator: string,
): string {
  return `
## Two instances behind a proxy

Two processes of Hitherto on the same PostgreSQL, behind a proxy that distributes new connections in turn.

- ${generator.split(' ')[0]} counted ${whole(requests)} shows, of which ${whole(failures)} failed. The instances served ${answeredBy.map(whole).join(' and ')}, which includes requests in flight at the end.
- Both refused a key that both had accepted before ${whole(refusedAfterMs)} ms after it was revoked (at most 1,000 ms guaranteed; one trial).
- After one of them received SIGTERM, ${whole(afterStop.good)} of ${whole(afterStop.of)} lists through the proxy succeeded, all on the other.
`;
}
