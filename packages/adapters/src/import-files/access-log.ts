import { createHash } from 'node:crypto';
import { ACCESS_LOG, InvalidFile, type LogSource, type OpenLogs, type TimeZone } from '@hitherto/domain';
import { findLogFormat } from '../logs/formats.ts';
import { finishedLog } from '../logs/read-log.ts';
import { readTogether, requestsOf, sampleOf } from '../logs/sample.ts';
import { type Content, openContents } from './contents.ts';

/**
 * The access log among the files of a path; `undefined` if none of them begins like one. Throws {@link InvalidFile} if several
 * do: each is a log of its own.
 *
 * @param zone of times without an offset
 */
export async function openLogSource(
  path: string,
  files: readonly Content[],
  zone: TimeZone,
): Promise<LogSource | undefined> {
  const logs: { readonly file: string; readonly firstRequest: string }[] = [];
  for (const file of files) {
    const { sample, found } = await recognize(file, zone);
    const firstRequest = found && sample.find((line) => requestsOf(found.read, [line]).length > 0);
    if (firstRequest !== undefined) logs.push({ file: file.name, firstRequest });
  }
  const [log, other] = logs;
  if (log === undefined) return undefined;
  if (other !== undefined) {
    throw new InvalidFile(
      `The ZIP has several access logs, such as ${log.file} and ${other.file}. Import each of them.`,
    );
  }
  return {
    format: ACCESS_LOG,
    // It stays the same in a log that grows, and is rotated or compressed. Headers are the same in different logs.
    name: `file ${createHash('sha256').update(log.firstRequest).digest('hex')}`,
    open: () => reopen(path, log.file, zone),
  };
}

async function reopen(path: string, name: string, zone: TimeZone): Promise<OpenLogs> {
  const { files, share, close } = await openContents(path);
  try {
    const file = files.find((other) => other.name === name);
    const known = file && (await recognize(file, zone));
    if (known?.found === undefined) throw new InvalidFile('The file has changed since it was looked at.');
    const { log, sample: lines, found } = known;
    return { ...readTogether([{ file: { ...log, path: '', share }, lines }], found.read), close: async () => close() };
  } catch (error) {
    close();
    throw error;
  }
}

async function recognize(file: Content, zone: TimeZone) {
  const log = await finishedLog(file.bytes);
  const sample = await sampleOf(log);
  return { log, sample, found: findLogFormat(sample, zone) };
}
