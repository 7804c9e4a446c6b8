import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@hitherto/testing/folder';

const LIBRARY = 'faketime/libfaketimeMT.so.1';

/** The path of libfaketime; `undefined` if it is not installed. */
export function findFaketime(): string | undefined {
  const folders = ['/usr/lib', '/usr/local/lib'].filter(existsSync);
  const within = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return [...folders, ...within].map((folder) => join(folder, LIBRARY)).find(existsSync);
}

/** The clock of programs that start with `env`: the real one until it is set. As in reality, the monotonic clock is unaffected. */
export function makeFakeClock() {
  const folder = newFolder();
  const file = join(folder.path, 'offset');
  /** Sets the clock this many seconds off the real time. */
  const set = (seconds: number) => {
    // Renamed into place, so that it is never read half written.
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${file}.new`, file);
  };
  set(0);
  return {
    env: {
      LD_PRELOAD: findFaketime() ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
    close: folder.close,
  };
}
