import type { InstancesResult } from '../instances.ts';
import type { OperationName } from '../operations.ts';
import { type Results, samplesOf } from '../results.ts';
import type { ScaleResult, Timing } from '../scale.ts';
import { paired, spreadOf } from '../statistics.ts';
import { VARIANTS, type VariantName } from '../variants.ts';
import { reasonOf } from './reasons.ts';
import { ratioText, type Target, targetsOf } from './targets.ts';

/** docs/performance.md. */
export function documentOf(results: Results): string {
  const targets = targetsOf(results);
  const missed = targets.filter(({ holds }) => holds === false);
  const unmeasured = targets.filter(({ holds }) => holds === undefined);
  return `# Performance

Made by \`${results.command}\` from its result, \`packages/bench/results/${results.mode}.json\`: run it to see these figures of your own machine.

![Requests a second of the variants](performance.svg)

## Targets

Figures with a range are medians of ${results.rounds} paired rounds, with the least and the most of them; times of requests are the p50 in the table of lists and searches. Ratios compare rounds that ran directly after one another. Memory is looked at after each round, of whichever operation, and its figure is the most of all.

${table(
  ['Figure', 'Must', 'Aim', 'Reached', 'Must holds'],
  targets.map(({ figure, must, aim, reached, holds }) => [
    figure,
    must,
    aim,
    reached,
    holds === undefined ? '–' : holds ? 'yes' : '**no**',
  ]),
)}

${verdict(missed, results)}${unmeasured.length === 0 ? '' : ' What this mode does not measure, `npm run bench -- --full` does.'}

## What was compared

${table(
  ['Variant', 'What it is'],
  Object.entries(VARIANTS).map(([name, text]) => [name, text]),
)}

All run on the same database, schema, indexes and durability; embedded has its own, filled alike. Hitherto as shipped writes a log line for each request (to a file here), counts and times it, limits its account (so high that nothing is refused), checks its shape and gives it an id. The two rivals log, count and limit nothing, which is in their favour. They look the key up for each request and then the website, where Hitherto asks for a key again after 800 ms, and have as many connections in their pool (10); Hitherto has one more, for short reads. "Logs and limits off" still counts and times requests, because metrics have no switch.

${Object.keys(results.samples)
  .map((name) => operationTable(results, name as OperationName))
  .join('\n\n')}

CPU is in microseconds a request, of the node process and of all processes of the database, from /proc. Memory is the resident memory of the node process after the round, in MB, the most of all rounds.
${pgbenchText(results)}
${results.scale === undefined ? '' : scaleText(results.scale)}${results.instances === undefined ? '' : instancesText(results.instances, results.generator)}
## How it was measured

- ${results.date}, commit ${results.commit}, command \`${results.command}\`
- Node ${results.node}; ${results.machine}. Hitherto runs with \`node --max-semi-space-size=4\`, as \`npm start\` starts it, on which its memory depends; the rivals with Node's defaults.
- ${results.database}
- Load by ${results.generator} with ${results.connections} connections on the same machine, ${results.secondsARound} s a round, ${results.rounds} rounds; each variant in turn within a round; all warmed up before. An account of ${results.websites.toLocaleString('en')} websites.
- Before the load, the status of one answer of each operation and variant is compared with the expected one. Under load, wrk tells only answers of status 400 and above, time-outs and broken connections; autocannon tells every status but the expected one as well. What they tell ends the run as failed, except between the two instances, where it is counted.
`;
}

function verdict(missed: readonly Target[], results: Results): string {
  if (missed.length === 0) return 'The must column holds for all that was measured.';
  const lines = missed.map(
    ({ figure, must, reached }) => `- ${figure}: ${reached} in place of ${must}. Why: ${reasonOf(figure, results)}`,
  );
  return `The must column does not hold for:\n\n${lines.join('\n')}\n`;
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

/** Why a rare term costs Hitherto more than the usual variant, told where it does. */
function searchText(results: Results): string {
  const rates = (name: VariantName) => samplesOf(results, 'search', name).map((sample) => sample.requestsPerSecond);
  const { median } = paired(rates('hitherto'), rates('usual'));
  if (Number.isNaN(median) || median >= 1) return '';
  return `\n\nHitherto serves ${median.toFixed(2)} times as many of these searches as the usual variant. The term is rare: 12 of 100,000 websites have it. How rare a term is, nobody knows beforehand: Hitherto first looks at 1,001 websites in the order of the list, which fills the page of a frequent term without finding and sorting all its matches (100,000, say), and asks the trigram index in a second statement, where the page is not full by then. The usual variant goes to the trigram index alone, with two statements at a time, and pays for frequent terms instead: it counts every match, where Hitherto stops at 10,001. The next table has such a term.`;
}

function pgbenchText({ pgbench, pgbenchVersion }: Results): string {
  if (pgbench.length === 0) return "\npgbench is not installed, so that the database's own limit was not measured.\n";
  return `\nThe database's limit: ${pgbenchVersion}, ten connections, the prepared statement of show alone: ${whole(spreadOf(pgbench).median)} a second (median of ${pgbench.length}).\n`;
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

One database of ${databaseMegabytes.toLocaleString('en')} MB holds the accounts of up to 1,000,000 websites, and 1,000 more of 1,000 each; the last column is one of them.${largest === undefined ? '' : ` The account of 5,000,000 has a database to itself, of ${largest.databaseMegabytes.toLocaleString('en')} MB; ${shortSearchesText(largest.size.timings)}`} Requests over HTTP, one after the other, after a second of them that does not count: p50 / p99 in milliseconds, and of how many (n). A page has 25 websites and its total; searches are sorted by address.

${table(
  ['Request', ...headings, '1 of 1,000'],
  [...requests, ...more].map((request) => [
    request,
    ...sizes.map(({ timings }) => timed(timings, request)),
    timed(oneOfMany, request),
  ]),
)}

What PostgreSQL touches for a page (EXPLAIN, blocks of 8 KiB), and for the total, which is counted up to 10,001:

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

/** What became of the searches of 1 or 2 characters in the largest account, which may be refused. */
function shortSearchesText(timings: readonly Timing[]): string {
  const short = timings.filter(({ refused }) => refused !== undefined);
  if (short.length === 0) return 'searches of 1 or 2 characters were not timed in it.';
  const refused = short.filter((timing) => timing.refused !== 0).length;
  const asked = `searches of 1 or 2 characters were asked ${short[0]?.requests} times each in it, after once that does not count`;
  return refused === 0
    ? `${asked}, and all were answered 200.`
    : `${asked}, and ${refused} of the ${short.length} were answered 503, for a statement may take 5 s.`;
}

function instancesText(
  { requests, answeredBy, failures, refusedAfterMs, afterStop }: InstancesResult,
  generator: string,
): string {
  return `
## Two instances behind a proxy

Two processes of Hitherto on the same PostgreSQL, behind a proxy that gives each new connection to the next of them.

- ${generator.split(' ')[0]} counted ${whole(requests)} shows, of which ${whole(failures)} failed; the instances answered ${answeredBy.map(whole).join(' and ')} (those under way at the end are in theirs only).
- A key that both had accepted and that was then revoked in the database was refused by both after ${whole(refusedAfterMs)} ms (at most 1,000 promised; one trial, n = 1).
- After one of them was told to stop, ${whole(afterStop.good)} of ${whole(afterStop.of)} lists through the proxy were answered well, all by the other.
`;
}

function whole(value: number): string {
  return Number.isNaN(value) ? '–' : Math.round(value).toLocaleString('en');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
