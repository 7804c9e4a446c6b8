import { createHash } from 'node:crypto';
import {
  ACCESS_LOG,
  InvalidFile,
  type LogContent,
  type OpenLogs,
  storedText,
  type TimeZone,
} from '@hitherto/domain/files';
import { findLogFormat } from '../logs/formats.ts';
import { finishedLog } from '../logs/read-log.ts';
import { readTogether, requestsOf, sampleOf } from '../logs/sample.ts';
import type { FileContents } from './contents.ts';

/**
 * The access log among the files of a path, which stay open until the log is closed; `undefined` if none of them begins like one.
 * Throws {@link InvalidFile} if several do: each is a log of its own.
 *
 * @param zone of times without an offset
 */
export async function openLogContent(contents: FileContents, zone: TimeZone): Promise<LogContent | undefined> {
  const logs: { readonly file: string; readonly firstRequest: string; readonly opened: OpenLogs }[] = [];
  for (const { name, bytes } of contents.files) {
    const log = await finishedLog(bytes);
    const lines = await sampleOf(log);
    const found = findLogFormat(lines, zone);
    if (found === undefined) continue;
    const firstRequest = lines.find((line) => requestsOf(found.read, [line]).length > 0);
    if (firstRequest === undefined) continue;
    const together = readTogether([{ file: { ...log, path: '', share: contents.share }, lines }], found.read);
    logs.push({ file: name, firstRequest, opened: { ...together, close: async () => contents.close() } });
  }
  const [log, other] = logs;
  if (log === undefined) return undefined;
  if (other !== undefined) {
    throw new InvalidFile(storedText('severalLogs', log.file, other.file));
  }
  return {
    format: ACCESS_LOG,
    // It stays the same in a log that grows, and is rotated or compressed. Headers are the same in different logs.
    name: `file ${createHash('sha256').update(log.firstRequest).digest('hex')}`,
    open: async () => log.opened,
  };
}
