import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type LogFiles, NO_REQUEST, type OpenLogs, type ReadLogLine } from '@hitherto/domain/imports';
import { findLogFormat, logFormat } from './formats.ts';
import { logNameOf, type OpenLog, openLog } from './read-log.ts';
import { readTogether, requestsOf, sampleOf } from './sample.ts';

/** The files of logs on the disk. */
export const logFiles: LogFiles = { nameOf: logNameOf, withRotated, stateOf, open: openLogs };

async function withRotated(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const name = logNameOf(path);
      const names = await readdir(dirname(path)).catch(() => []);
      return [path, ...names.filter((other) => logNameOf(other) === name).map((other) => join(dirname(path), other))];
    }),
  );
  return [...new Set(found.flat())];
}

async function stateOf(paths: readonly string[]): Promise<string> {
  const states = paths.map(async (path) => {
    const { dev, ino, size, mtimeMs } = await stat(path);
    return [path, dev, ino, size, mtimeMs];
  });
  return JSON.stringify(await Promise.all(states));
}

async function openLogs(paths: readonly string[], format: string | undefined): Promise<OpenLogs | undefined> {
  const opened: OpenLog[] = [];
  const close = async () => {
    await Promise.all(opened.map((file) => file.close()));
  };
  try {
    for (const path of paths) opened.push(await openLog(path));
    const distinct = withoutCopies(opened.filter(({ beginning }) => beginning.length > 0));
    const samples = await Promise.all(distinct.map(async (file) => ({ file, lines: await sampleOf(file) })));
    const used = samples.filter(({ file, lines }) => lines.length > 0 || file.isUnfinished());
    if (used.length === 0) {
      await close();
      return undefined;
    }
    const read = readerOf(
      format,
      used.map(({ lines }) => lines),
      paths,
    );
    const dated = used.map((log) => ({ ...log, time: firstTime(read, log.lines) ?? log.file.changed }));
    dated.sort((a, b) => a.time - b.time || a.file.changed - b.file.changed);
    return { ...readTogether(dated, read), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function readerOf(
  format: string | undefined,
  samples: readonly (readonly string[])[],
  paths: readonly string[],
): ReadLogLine {
  const longest = samples.reduce((one, other) => (other.length > one.length ? other : one));
  const found = format === undefined ? findLogFormat(longest) : logFormat(format, longest);
  if (found !== undefined) return found.read;
  // Nothing but a header, and maybe a line that has no end yet.
  if (longest.every((line) => line.trim() === '' || line.startsWith('#'))) return () => NO_REQUEST;
  throw new Error(
    `The format of ${paths.join(', ')} is not recognized by its first lines. Name it with --format: a format such as combined, json:path=uri,time=ts, or a pattern such as '%h %l %u %t "%r" %>s %b'.`,
  );
}

/** A compressed copy can be unfinished, so the other one is kept. */
function withoutCopies(files: readonly OpenLog[]): readonly OpenLog[] {
  const sorted = [...files].sort((a, b) => Number(a.size === undefined) - Number(b.size === undefined));
  const kept: OpenLog[] = [];
  for (const file of sorted) {
    const isCopy = kept.some(
      ({ identity, beginning }) => identity === file.identity || Buffer.from(beginning).equals(file.beginning),
    );
    if (!isCopy) kept.push(file);
  }
  return kept;
}

function firstTime(read: ReadLogLine, lines: readonly string[]): number | undefined {
  return requestsOf(read, lines)[0]?.time.getTime();
}
