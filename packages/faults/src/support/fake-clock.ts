import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIBRARY = 'faketime/libfaketimeMT.so.1';

/** A program's clock, which can be set while the program runs. */
export interface FakeClock {
  /** The environment for starting the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock this many seconds off the real time. */
  set(seconds: number): void;
  close(): void;
}

/** The path of libfaketime; `undefined` if it is not installed. */
export function findFaketime(): string | undefined {
  const folders = ['/usr/lib', '/usr/local/lib'].filter(existsSync);
  const within = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return [...folders, ...within].map((folder) => join(folder, LIBRARY)).find(existsSync);
}

/** A clock with the real time until it is set. The monotonic clock is unaffected, as when a real clock is set. */
export function makeFakeClock(): FakeClock {
  const folder = mkdtempSync(join(tmpdir(), 'hitherto-faults-clock-'));
  const file = join(folder, 'offset');
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
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
