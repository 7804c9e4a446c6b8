import { readdirSync, readlinkSync } from 'node:fs';

/** The paths of the files that this process has open. */
export function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return [];
    }
  });
}
