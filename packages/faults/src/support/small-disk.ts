import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Mounts a file system of a few megabytes, which requires root. */
export function mountSmallDisk(megabytes: number) {
  const mount = mkdtempSync(join(tmpdir(), 'hitherto-faults-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', mount]);
  const folder = join(mount, 'data');
  mkdirSync(folder);
  const filler = join(mount, 'filler');
  const freeBytes = () => {
    const { bfree, bsize } = statfsSync(mount);
    return bfree * bsize;
  };
  return {
    /** An empty folder on it. */
    folder,
    /** Leaves this many bytes free, none by default. */
    fill(free = 0) {
      const file = openSync(filler, 'a');
      const block = Buffer.alloc(4_096, 1);
      try {
        while (freeBytes() > free) writeSync(file, block);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        closeSync(file);
      }
    },
    /** Frees the space that `fill` took. */
    makeRoom: () => rmSync(filler, { force: true }),
    close() {
      // Lazily, since a process of the server may hold its folder a moment longer.
      execFileSync('umount', ['-l', mount]);
      rmSync(mount, { recursive: true, force: true });
    },
  };
}

/** The missing requirement, if any. */
export function missingForSmallDisk(): string | undefined {
  return process.getuid?.() === 0 ? undefined : 'root, to mount a small file system';
}
