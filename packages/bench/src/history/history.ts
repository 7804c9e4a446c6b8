import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@hitherto/testing/folder';
import { postmasterOf } from '@hitherto/testing/proc';
import { prepareDataFolder } from '../database.ts';
import { atLeast, atMost } from '../figures.ts';
import { timed, timeRequests } from '../load/measure.ts';
import { readFrom } from '../load/read.ts';
import { requestOf } from '../load/request.ts';
import type { Run } from '../run.ts';
import { type RunningServer, startHitherto } from '../servers.ts';
import { collectDuring } from '../statistics/collecting-during.ts';
import type { HitWebsite } from '../statistics/hits.ts';
import { addWebsite, addWebsites } from '../statistics/websites.ts';
import { type MeasuredCommand, runCommand } from './command.ts';
import { HOST, PERIOD_OF_HITS, writeLog, writePlausible, writeUmami } from './files.ts';

const FULL = { rows: 1_000_000, bytes: 200_000_000 };
const SHORT = { rows: 20_000, bytes: 4_000_000 };

/** The pages of the year of the imported hits. */
const YEAR = `from=${PERIOD_OF_HITS.from}&to=${PERIOD_OF_HITS.to}`;

/** A file to import. */
interface HistoryFile {
  readonly name: string;
  /** Writes it, and returns how many rows it has. */
  readonly write: (file: string) => Promise<number>;
  /** The arguments of the command. */
  readonly args: (file: string, websiteId: string) => readonly string[];
  /** Adds the figures that have targets. */
  readonly judge: (seconds: number, rows: number) => void;
}

/**
 * Imports of large files next to a running service, then a backup of all of it and its restore, by the real commands.
 *
 * @param stored how many rows the files of hits have
 */
export async function measureHistory(run: Run, stored?: number): Promise<void> {
  const { open, progress, figures, isFull } = run;
  const amounts = isFull ? FULL : SHORT;
  const hits = stored ?? amounts.rows;
  const { path: folder } = await open(newFolder());
  const prepare = async (url: string) => {
    const files: (HistoryFile & { website: HitWebsite; another: HitWebsite })[] = [];
    for (const file of filesOf(run, hits, amounts.bytes)) {
      // Both of the host that its hits name.
      const { websites } = await addWebsites(url, [`${HOST}/${file.name}`, `${HOST}/${file.name}-again`]);
      files.push({ ...file, website: websites[0], another: websites[1] });
    }
    return { files, collecting: await addWebsite(url, 'collecting.example') };
  };
  const { path: dataDir, filled } = await open(prepareDataFolder(prepare));
  const server = await open(startHitherto({ DATA_DIR: dataDir }));
  const postmaster = postmasterOf(dataDir);
  for (const { name, write, args, judge, website, another } of filled.files) {
    const file = join(folder, name);
    progress(`writing ${name}`);
    const rows = await write(file);
    progress(`importing ${name}: ${rows.toLocaleString('en')} rows`);
    const imported = await runCommand(dataDir, args(file, website.id), postmaster);
    judge(imported.seconds, rows);
    addCosts(run, name, imported, rows);
    await measurePages(run, server, name, website);
    const work = () => runCommand(dataDir, args(file, another.id));
    const longest = await collectDuring(run, server, filled.collecting, `import of ${name}`, work);
    figures.add(`longest pause of collecting during an import of ${name}`, 'ms', [longest], atMost(1_000));
    await rm(file);
  }
  // All rows of Umami and six of ten lines of the log, twice.
  await measureBackup(run, dataDir, join(folder, 'hitherto.backup'), hits * 2 * 1.6);
}

function filesOf({ figures }: Run, rows: number, bytes: number): readonly HistoryFile[] {
  const judgeRate = (name: string) => (seconds: number, read: number) =>
    figures.add(`${name}: rows`, 'per second', [read / seconds], atLeast(20_000, 40_000));
  return [
    {
      name: 'website_event.csv',
      write: async (file) => {
        await writeUmami(file, rows);
        return rows;
      },
      args: (file, id) => ['statistics', 'import', file, '--website', id],
      judge: judgeRate('Umami'),
    },
    {
      name: 'access.log',
      write: async (file) => {
        await writeLog(file, rows);
        return rows;
      },
      args: (file, id) => ['logs', 'import', file, '--website', id],
      judge: judgeRate('access log'),
    },
    {
      name: 'plausible.zip',
      write: (file) => writePlausible(file, bytes),
      args: (file, id) => ['statistics', 'import', file, '--website', id],
      judge: (seconds) => figures.add(`Plausible, ${bytes / 1e6} MB of CSV`, 's', [seconds], atMost(60)),
    },
  ];
}

function addCosts({ figures }: Run, name: string, measured: MeasuredCommand, rows: number): void {
  const { nodeCpu, databaseCpu, peakMemory } = measured;
  figures.add(`${name}: CPU of Node a row`, 'µs', [(nodeCpu / rows) * 1e6]);
  figures.add(`${name}: CPU of the database a row`, 'µs', [(databaseCpu / rows) * 1e6]);
  figures.add(`${name}: most memory`, 'MB', [peakMemory], atMost(300));
}

/** The page of the imported year at once, and later. */
async function measurePages(
  { figures }: Run,
  server: RunningServer,
  name: string,
  { id }: Pick<HitWebsite, 'id'>,
): Promise<void> {
  const path = `/statistics/${id}?${YEAR}`;
  figures.add(`page of a year, right after ${name}`, 'ms', [await timed(() => readFrom(server, path))]);
  const { times } = await timeRequests(server, () => requestOf('GET', path));
  figures.times(`page of a year after ${name}`, times, { 50: undefined });
}

async function measureBackup(
  { figures, open }: Pick<Run, 'figures' | 'open'>,
  dataDir: string,
  file: string,
  hits: number,
): Promise<void> {
  const saved = await runCommand(dataDir, ['backup', file]);
  figures.add('backup: hits', 'per second', [hits / saved.seconds], atLeast(15_000, 30_000));
  figures.add('backup: most memory', 'MB', [saved.peakMemory], atMost(300));
  figures.add('backup', 'MB', [(await stat(file)).size / 1e6]);
  const empty = await open(prepareDataFolder(async () => {}));
  const restored = await runCommand(empty.path, ['restore', file]);
  figures.add('restore: hits', 'per second', [hits / restored.seconds], atLeast(15_000, 30_000));
  figures.add('restore: most memory', 'MB', [restored.peakMemory], atMost(300));
}
