import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@hitherto/testing/folder';
import { postmasterOf } from '@hitherto/testing/proc';
import { prepareDataFolder } from '../database.ts';
import { atLeast, atMost } from '../figures.ts';
import type { Run } from '../run.ts';
import { startHitherto } from '../servers.ts';
import { collectDuring } from '../statistics/collecting-during.ts';
import type { HitWebsite } from '../statistics/hits.ts';
import { addWebsite, addWebsites } from '../statistics/websites.ts';
import { type MeasuredCommand, runCommand } from './command.ts';
import { HOST, writeLog, writeUmami } from './files.ts';

/** The files of hits, by name: how they are called in figures, how they are written, and the command that imports them. */
const FILES = {
  'website_event.csv': { product: 'Umami', write: writeUmami, command: ['statistics', 'import'] },
  'access.log': { product: 'access log', write: writeLog, command: ['logs', 'import'] },
} as const;

/**
 * Imports of large files next to a running service, then a backup of all of it and its restore, by the real commands.
 *
 * @param stored how many rows the files of hits have
 */
export async function measureImports(run: Run, stored = run.isFull ? 1_000_000 : 20_000): Promise<void> {
  const { open, progress, figures } = run;
  const { path: folder } = await open(newFolder());
  const names = Object.keys(FILES) as (keyof typeof FILES)[];
  const prepare = async (url: string) => {
    const added = new Map<string, readonly [HitWebsite, HitWebsite]>();
    // All of the host that the hits name.
    for (const name of names) {
      added.set(name, (await addWebsites(url, [`${HOST}/${name}`, `${HOST}/${name}-again`])).websites);
    }
    return { added, collecting: await addWebsite(url, 'collecting.example') };
  };
  const { path: dataDir, filled } = await open(prepareDataFolder(prepare));
  const server = await open(startHitherto({ DATA_DIR: dataDir }));
  const postmaster = postmasterOf(dataDir);
  for (const name of names) {
    const { product, write, command } = FILES[name];
    const file = join(folder, name);
    const [website, another] = filled.added.get(name) ?? [];
    if (website === undefined || another === undefined) throw new Error(`There is no website for ${name}.`);
    progress(`writing and importing ${name}: ${stored.toLocaleString('en')} rows`);
    await write(file, stored);
    const importTo = ({ id }: HitWebsite) => [...command, file, '--website', id];
    const imported = await runCommand(dataDir, importTo(website), postmaster);
    figures.add(`${product}: rows`, 'per second', [stored / imported.seconds], atLeast(20_000, 40_000));
    addCosts(run, name, imported, stored);
    const work = () => runCommand(dataDir, importTo(another));
    const longest = await collectDuring(run, server, filled.collecting, `import of ${name}`, work);
    figures.add(`longest pause of collecting during an import of ${name}`, 'ms', [longest], atMost(1_000));
    await rm(file);
  }
  // All rows of Umami and six of ten lines of the log, twice.
  await measureBackup(run, dataDir, join(folder, 'hitherto.backup'), stored * 2 * 1.6);
}

function addCosts({ figures }: Run, name: string, measured: MeasuredCommand, rows: number): void {
  const { nodeCpu, databaseCpu, peakMemory } = measured;
  figures.add(`${name}: CPU of Node a row`, 'µs', [(nodeCpu / rows) * 1e6]);
  figures.add(`${name}: CPU of the database a row`, 'µs', [(databaseCpu / rows) * 1e6]);
  figures.add(`${name}: most memory`, 'MB', [peakMemory], atMost(300));
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
