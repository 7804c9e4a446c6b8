import { storedText } from '../base/stored-text.ts';
import { createVisitors } from '../hits/visitors.ts';
import type { LogContent } from './import-content.ts';
import type { LogImport } from './log-import.ts';
import { findLogPlace } from './logs/find-place.ts';
import type { OpenLogs } from './logs/log-files.ts';
import { type LogDependencies, type LogSummary, readLog } from './logs/read-log.ts';
import type { ContentReader } from './read-rows.ts';
import type { ImportDependencies } from './run-import.ts';
import { exampleOf, rejectFaultyRows } from './skipped-rows.ts';

/** Reads a log into one website. Lines that were read before do not count. */
export function createLogReader(
  deps: ImportDependencies,
  imported: LogImport,
  content: LogContent,
  keepGoing: boolean,
  signal: AbortSignal,
): ContentReader {
  const { website } = imported;
  let opened: OpenLogs | undefined;
  return {
    counts: () => imported.counts(opened === undefined ? 0 : shareOf([opened])),

    async read() {
      opened = await content.open();
      try {
        const log = { ...opened, name: content.name };
        const { checkpoint: from } = await findLogPlace(deps.logs, website.settings.websiteId, log);
        const find = () => website;
        await readLog({ ...logDependencies(deps), find, summary: website.summary }, { ...log, from }, signal);
      } finally {
        await opened.close();
      }
      if (!keepGoing) rejectFaultyLines([website.summary]);
      return imported.read();
    },
  };
}

/** The dependencies of imports that reading logs needs. */
export function logDependencies(
  deps: Pick<ImportDependencies, 'lookups' | 'salts' | 'now' | 'randomBytes'>,
): Omit<LogDependencies, 'find' | 'summary'> {
  const { lookups, salts, now, randomBytes } = deps;
  return { lookups, visitors: createVisitors(salts, randomBytes), now, randomBytes };
}

/** The share of the files that was read. */
export function shareOf(logs: readonly OpenLogs[]): number {
  const files = logs.flatMap((log) => log.files);
  return files.length === 0 ? 1 : files.reduce((sum, file) => sum + file.share(), 0) / files.length;
}

/** Throws `InvalidFile` if too many of these lines cannot be read. */
export function rejectFaultyLines(summaries: readonly LogSummary[]): void {
  const lines = summaries.reduce((sum, summary) => sum + summary.lines, 0);
  const faulty = summaries.flatMap(({ left }) => left.get('faulty') ?? []);
  const [first] = faulty;
  if (first === undefined) return;
  const rows = faulty.reduce((sum, one) => sum + one.lines, 0);
  rejectFaultyRows({ rows, ...exampleOf(first.place, storedText('reason', 'faulty')) }, lines);
}
