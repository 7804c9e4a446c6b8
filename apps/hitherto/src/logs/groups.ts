import type { LogFiles } from '@hitherto/domain';

/** The files of each log. */
export function groupsOf(files: LogFiles, paths: readonly string[], name: string | undefined): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const key = name ?? files.nameOf(path);
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  return groups;
}
