import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Run } from '../run.ts';
import type { FilledAccount } from './fill.ts';

const COLUMNS =
  'id, scheme, address, privacy, password_hash, email_reports, exclude_bots, excluded_params, excluded_ips, created_at, updated_at';

/** The database's own limit, if pgbench is installed: the prepared statement of show on ten connections. */
export async function measureStatement({ database, figures, seconds }: Run, account: FilledAccount): Promise<void> {
  const version = spawnSync('pgbench', ['--version'], { encoding: 'utf8' });
  if (version.error !== undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'hitherto-pgbench-'));
  const script = join(folder, 'show.sql');
  const ids = account.websiteIds.slice(0, 100);
  const id = `(array[${ids.map((text) => `'${text}'`)}])[:place]::uuid`;
  const statement = `select ${COLUMNS} from website where account_id = '${account.id}' and id = ${id};`;
  await writeFile(script, `\\set place random(1, ${ids.length})\n${statement}\n`);
  const options = ['-n', '-M', 'prepared', '-c', '10', '-T', String(Math.ceil(seconds)), '-f', script, database.url];
  const rates: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { stdout } = await promisify(execFile)('pgbench', options);
    rates.push(Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]));
  }
  figures.add(`show: its statement alone, by ${version.stdout.trim()}`, 'per second', rates);
  await rm(folder, { recursive: true });
}
