import { createHash } from 'node:crypto';
import { ACCESS_LOG, InvalidFile, type LogSource, type OpenLogs } from '@hitherto/domain';
import { findLogFormat } from '../logs/formats.ts';
import { openLog } from '../logs/read-log.ts';
import { sampleOf } from '../logs/sample.ts';

/** A file as an access log; `undefined` if it does not begin like one. */
export async function openLogSource(path: string): Promise<LogSource | undefined> {
  const { log, sample, found } = await openSample(path);
  await log.close();
  const [first] = sample;
  if (found === undefined || first === undefined) return undefined;
  return {
    format: ACCESS_LOG,
    // A log that grows, and is rotated or compressed, has the same first line.
    name: `file ${createHash('sha256').update(first).digest('hex')}`,
    open: () => reopen(path),
  };
}

async function reopen(path: string): Promise<OpenLogs> {
  const { log, found } = await openSample(path);
  if (found !== undefined) return { files: [{ ...log, path: '' }], ...found, close: log.close };
  await log.close();
  throw new InvalidFile('The file has changed since it was looked at.');
}

async function openSample(path: string) {
  const log = await openLog(path, { isForeign: true });
  try {
    const sample = await sampleOf(log);
    return { log, sample, found: findLogFormat(sample) };
  } catch (error) {
    await log.close();
    throw error;
  }
}
