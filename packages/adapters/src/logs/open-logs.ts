import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type LogFiles, NO_REQUEST, type OpenLogs, type ReadLogLine } from '@hitherto/domain';
import { type FoundFormat, findLogFormat, logFormat } from './formats.ts';
import { logNameOf, type OpenLog, openLog, readLines } from './read-log.ts';
import { sampleOf } from './sample.ts';

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
    const used = samples.filter(({ lines }) => lines.length > 0);
    if (used.length === 0) {
      await close();
      return undefined;
    }
    const found = foundFormat(
      format,
      used.map(({ lines }) => lines),
      paths,
    );
    const dated = used.map(({ file, lines }) => ({ file, time: firstTime(found.read, lines) ?? file.changed }));
    dated.sort((a, b) => a.time - b.time || a.file.changed - b.file.changed);
    const files = dated.map(({ file }) => ({ ...file, lines: (from: number) => readLines(file, from, found.read) }));
    return { files, format: found.format, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function foundFormat(
  format: string | undefined,
  samples: readonly (readonly string[])[],
  paths: readonly string[],
): FoundFormat {
  const longest = samples.reduce((one, other) => (other.length > one.length ? other : one));
  const found = format === undefined ? findLogFormat(longest) : logFormat(format, longest);
  if (found !== undefined) return found;
  throw new Error(
    `The format of ${paths.join(', ')} is not recognized by its first lines. Name it with --format, such as combined, or json:path=uri,time=ts.`,
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
  for (const line of lines) {
    const request = read(line);
    if (request !== undefined && request !== NO_REQUEST) return request.time.getTime();
  }
  return undefined;
}
