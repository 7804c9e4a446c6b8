import { SAMPLE_LINES } from './formats.ts';
import type { RawLog } from './read-log.ts';

/** The first lines of a log, by which its format is recognized. */
export async function sampleOf(file: Pick<RawLog, 'lines'>): Promise<readonly string[]> {
  const sample: string[] = [];
  for await (const lines of file.lines(0)) {
    sample.push(...lines.slice(0, SAMPLE_LINES - sample.length).map(({ text }) => text));
    if (sample.length >= SAMPLE_LINES) break;
  }
  return sample;
}
