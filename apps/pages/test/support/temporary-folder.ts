import { newFolder } from '@hitherto/testing/folder';
import { onTestFinished, vi } from 'vitest';

/** Lets temporary files of the test go to a new folder, and returns its path. */
export function useTemporaryFolder(): string {
  const { path, close } = newFolder();
  vi.stubEnv('TMPDIR', path);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    close();
  });
  return path;
}
