import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FilledAccount } from './fill.ts';

/** The version of `pgbench`, if installed. */
export function pgbenchVersion(): string | undefined {
  const { stdout, error } = spawnSync('pgbench', ['--version'], { encoding: 'utf8' });
  return error === undefined ? stdout.trim().split('\n')[0] : undefined;
}

/** The database's maximum for the prepared statement of show, on ten connections, per second. */
export async function limitOfDatabase(url: string, account: FilledAccount, seconds: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'hitherto-pgbench-'));
  try {
    const script = join(folder, 'show.sql');
    const id = `(array[${account.websiteIds.slice(0, 100).map((text) => `'${text}'`)}])[:place]::uuid`;
    await writeFile(
      script,
      `\\set place random(1, ${Math.min(100, account.websiteIds.length)})
select id, scheme, address, privacy, password_hash, email_reports, exclude_bots, excluded_params, excluded_ips, created_at, updated_at
  from website where account_id = '${account.id}' and id = ${id};\n`,
    );
    const options = [
      '-n',
      '-M',
      'prepared',
      '-c',
      '10',
      '-j',
      '1',
      '-T',
      String(Math.ceil(seconds)),
      '-f',
      script,
      url,
    ];
    const { stdout } = await promisify(execFile)('pgbench', options);
    return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
  } finally {
    await rm(folder, { recursive: true });
  }
}
