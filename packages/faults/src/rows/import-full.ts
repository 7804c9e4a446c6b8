import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { row, type Trial } from '../row.ts';
import { type Client, create } from '../support/client.ts';
import { hitFile } from '../support/hit-file.ts';
import { type OwnService, startService } from '../support/service.ts';
import { missingForSmallDisk, mountSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

type SmallDisk = ReturnType<typeof mountSmallDisk>;

const MEGABYTE = 1_048_576;
const DATABASE_MEGABYTES = 300;
/** One file fits, and two do not. */
const TEMPORARY_MEGABYTES = 10;
const HITS = 60_000;
/** As many bytes of the database's disk are free at most when an import begins: with all of them, some imports succeed. */
const MOST_FREE = 80 * MEGABYTE;
/** Of an import that was interrupted, until its end is recorded: its lease, and the interval of the job. */
const ENDS_WITHIN_MS = 60_000;

const OPTIONS = { small: 4, missing: missingForSmallDisk };

/**
 * A full disk ends an import, and not the service. The disk of temporary files is full while a file is uploaded, or that of the
 * database at any time of an import. Nothing of an import that failed counts or stays; once there is space, the same file is
 * imported.
 */
export const importFull = row('import-full', 20, 'imports', OPTIONS, async (trials) => {
  const disk = await trials.open(mountSmallDisk(DATABASE_MEGABYTES));
  const temporary = await trials.open(mountSmallDisk(TEMPORARY_MEGABYTES));
  const settings = { autovacuum: 'off', checkpoint_timeout: '1h', min_wal_size: '32MB', max_wal_size: '64MB' };
  const service = await trials.open(startService({ TMPDIR: temporary.folder }, { dataDir: disk.folder, settings }));
  await trials.each(async (trial) => {
    const client = await trial.open(service.openClient());
    const { id } = await create(client, { url: 'https://example.com' });
    if (trial.index % 4 === 0) await failUpload(trial, client, id, temporary);
    else trial.add({ [`imports ${await failImport(trial, service, id, client, disk)}`]: 1 });
    service.expectAlive();
    await removeAll(service);
  });
});

const file = hitFile(HITS, (n) => ({
  time: new Date(Date.UTC(2026, 0, 1 + (n % 28), 12)),
  visitor: `${n}`,
  page: `/${n % 500}`,
}));

const send = (client: Client, id: string) =>
  client.request('POST', `/api/v1/websites/${id}/imports`, {
    body: file,
    headers: { 'content-type': 'application/octet-stream' },
  });

async function pageviews(client: Client, id: string): Promise<number> {
  const path = `/api/v1/websites/${id}/statistics?from=2026-01-01&to=2026-01-31`;
  return JSON.parse((await client.request('GET', path, { expects: 200 })).text).data.pageviews;
}

async function failUpload({ random, add }: Trial, client: Client, id: string, temporary: SmallDisk): Promise<void> {
  temporary.fill(random.below(file.length - MEGABYTE));
  const { status, text } = await send(client, id);
  assert.equal(status, 503, text);
  assert.match(text, /The disk for temporary files is full/);
  assert.deepEqual(readdirSync(temporary.folder), []);
  temporary.makeRoom();
  add({ 'uploads 503': 1 });
  assert.equal((await send(client, id)).status, 202);
  await until('the import was not done', ENDS_WITHIN_MS, async () => (await pageviews(client, id)) === HITS);
}

/** Returns how the import ended. */
async function failImport(
  { random }: Trial,
  service: OwnService,
  id: string,
  client: Client,
  disk: SmallDisk,
): Promise<'failed' | 'interrupted' | 'done'> {
  const { query } = service.postgres;
  await query('checkpoint');
  disk.fill(random.below(MOST_FREE));
  const { status, text } = await send(client, id);
  assert.ok(status === 202 || status === 503, text);
  let state = '';
  const isNot = (states: readonly string[]) => async () => {
    state = await statusOf(service);
    return !states.includes(state);
  };
  await until('the import neither ended nor stopped', ENDS_WITHIN_MS, isNot(['running']));
  disk.makeRoom();
  await until('the database did not recover', ENDS_WITHIN_MS, isNot(['running', 'away']));
  if (state === 'done') {
    assert.equal(await pageviews(client, id), HITS);
    return 'done';
  }
  assert.equal(await pageviews(client, id), 0);
  await until('rows were left of a failed import', ENDS_WITHIN_MS, async () => {
    const [left] = await query<{ count: string }>('select count(*)::text as count from book');
    return left?.count === '0';
  });
  await until('the file was not imported afterwards', ENDS_WITHIN_MS, async () => {
    const again = await send(client, id);
    return again.status < 300 && (await pageviews(client, id)) === HITS;
  });
  return state === 'interrupted' ? 'interrupted' : 'failed';
}

/** The status of the latest import, or the code of its problem; `none` if it was not recorded, `away` without a database. */
async function statusOf({ postgres }: OwnService): Promise<string> {
  try {
    const [latest] = await postgres.query<{ state: string }>(
      `select coalesce(problem ->> 'code', status) as state from import order by number desc limit 1`,
    );
    return latest?.state ?? 'none';
  } catch {
    return 'away';
  }
}

/** Frees what a trial has stored. */
async function removeAll({ postgres: { query } }: OwnService): Promise<void> {
  await query('delete from website');
  await query('delete from import');
  for (const table of ['book', 'website_day', 'day_numbers']) await query(`truncate ${table}`);
  await query('checkpoint');
}
