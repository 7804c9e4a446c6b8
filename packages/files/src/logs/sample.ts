import {
  type LogLine,
  type LogRequest,
  NO_REQUEST,
  type OpenLogs,
  type ReadableLogFile,
  type ReadLogLine,
} from '@hitherto/domain/files';
import { SAMPLE_LINES } from './formats.ts';
import type { RawLog } from './lines.ts';

/** The first lines of a log, by which its format is recognized. */
export async function sampleOf(file: Pick<RawLog, 'lines'>): Promise<readonly string[]> {
  const sample: string[] = [];
  for await (const lines of file.lines(0)) {
    sample.push(...lines.slice(0, SAMPLE_LINES - sample.length).map(({ text }) => text));
    if (sample.length >= SAMPLE_LINES) break;
  }
  return sample;
}

/** A file of a log, with its first lines. */
interface SampledLog {
  readonly file: RawLog & Pick<ReadableLogFile, 'path' | 'share'>;
  readonly lines: readonly string[];
}

/** Puts files together whose lines one reader reads. */
export function readTogether(logs: readonly SampledLog[], read: ReadLogLine): Pick<OpenLogs, 'files' | 'hasHosts'> {
  const requests = logs.flatMap(({ lines }) => requestsOf(read, lines));
  const named = requests.filter(({ host }) => host !== undefined);
  return {
    files: logs.map((log) => ({ ...log.file, lines: (from) => readLines(log, from, read) })),
    hasHosts: named.length * 2 >= requests.length,
  };
}

/** The requests in lines. */
export function requestsOf(read: ReadLogLine, lines: readonly string[]): readonly LogRequest[] {
  return lines.flatMap((line) => {
    const request = read(line);
    return request === undefined || request === NO_REQUEST ? [] : request;
  });
}

/** The lines from an offset on. The header is read in any case: it may name the columns. */
async function* readLines(
  { file, lines: sample }: SampledLog,
  from: number,
  read: ReadLogLine,
): AsyncGenerator<readonly LogLine[]> {
  for (const line of sample) if (line.startsWith('#')) read(line);
  for await (const lines of file.lines(from)) {
    yield lines.map(({ text, end }) => ({ text, end, read: read(text) }));
  }
}
