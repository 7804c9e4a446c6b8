import { basename, dirname, join, resolve } from 'node:path';
import { groupBy } from '@hitherto/domain/base';
import { type LogFiles, MAX_LOG_NAME } from '@hitherto/domain/imports';

/** The files of each log. Where folders have files of the same name, each folder has a log of its own, named with the folder. */
export function groupsOf(files: LogFiles, paths: readonly string[], name: string | undefined): Map<string, string[]> {
  if (name !== undefined) return new Map([[name, [...paths]]]);
  const logs = groupBy(paths, files.nameOf);
  for (const [log, group] of [...logs]) {
    // Rotation may move older files of one log to another folder, but their names differ.
    const isOneLog = [...groupBy(group, basename).values()].every((same) => groupBy(same, folderOf).size === 1);
    if (isOneLog) continue;
    logs.delete(log);
    for (const [folder, own] of groupBy(group, folderOf)) logs.set(shortEnough(join(folder, log)), own);
  }
  return logs;
}

function folderOf(path: string): string {
  return dirname(resolve(path));
}

function shortEnough(log: string): string {
  if (log.length <= MAX_LOG_NAME) return log;
  throw new Error(`The path ${log} is too long for the name of a log. Read it by itself, and name it with --log.`);
}
