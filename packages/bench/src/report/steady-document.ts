import { spreadOf } from '../spread.ts';
import type { SteadyResult, SteadySample } from '../steady/run.ts';
import { table, whole } from './markdown.ts';

/** The target of the other measurements. */
const SLOW_MS = 50;

/** The part of docs/performance.md about the steady run. */
export function steadyDocument(result: SteadyResult): string {
  const { samples, minutes, hitsPerSecond, pagesPerSecond, stored, command, date, commit } = result;
  const tenth = Math.max(1, Math.floor(samples.length / 10));
  const parts = [samples.slice(0, tenth), samples.slice(-tenth)];
  const row = (name: string, of: (sample: SteadySample) => number, digits: number) => [
    name,
    ...parts.map((part) => spreadOf(part.map(of)).median.toFixed(digits)),
    Math.max(...samples.map(of)).toFixed(digits),
  ];
  const [first, last] = [samples[0], samples.at(-1)];
  const failures = samples.reduce((sum, sample) => sum + sample.failures, 0);
  const bytes = first && last && ((last.disk - first.disk) * 1e6) / (stored - first.hits);
  return `# A steady load

![Response times, memory, CPU and disk over time](steady.svg)

${hitsPerSecond} hits a second for ten websites, and ${pagesPerSecond} statistics page${pagesPerSecond === 1 ? '' : 's'} a second, for ${minutes} minutes: ${whole(stored)} hits. ${outcome(failures)} \`${command}\`, ${date}, commit ${commit}. Each sample is of 10 s.

${table(
  ['', 'first tenth, median', 'last tenth, median', 'most'],
  [
    row('p99 of a hit, ms', (sample) => sample.hitP99, 1),
    row('longest hit, ms', (sample) => sample.hitLongest, 0),
    row('p99 of a page, ms', (sample) => sample.pageP99, 1),
    row('memory of Hitherto, MB', (sample) => sample.memory, 0),
    row('memory of PostgreSQL, MB', (sample) => sample.databaseMemory, 0),
    row('CPU of Hitherto, cores', (sample) => sample.cpu, 2),
    row('CPU of PostgreSQL, cores', (sample) => sample.databaseCpu, 2),
    row('disk, MB', (sample) => sample.disk, 0),
  ],
)}

The p99 of a hit is above ${SLOW_MS} ms in ${samples.filter(({ hitP99 }) => hitP99 > SLOW_MS).length} of ${samples.length} samples. Hitherto's memory varies, because V8 collects garbage late. PostgreSQL's memory counts once what its processes share; most of that is its cache (shared_buffers), which fills up. The disk grew by ${whole(bytes ?? Number.NaN)} bytes per hit, with its visit and everything else.
`;
}

function outcome(failures: number): string {
  return failures === 0
    ? 'All requests succeeded, and every hit is stored.'
    : `Failed requests: ${whole(failures)}. Every hit that was acknowledged is stored.`;
}
