import { expect, test } from 'vitest';
import { noteBackup } from '../src/installation/last-backup.ts';
import { gaugesOf } from '../src/service/gauges.ts';
import { emptyFolder } from './support/program.ts';

const IDLE = { load: () => ({ active: 0, waiting: 0 }) };
const NOW = () => new Date('2026-11-20T12:00:00Z');
const stats = () => ({ total: 0, idle: 0, waiting: 0 });

/** The hand-over's gauges, and how often they have read the backlog. */
function handOverGauges() {
  let readings = 0;
  const backlog = async () => {
    readings += 1;
    return { hits: 7, since: new Date('2026-11-20T11:59:50Z') };
  };
  const gauges = gaugesOf({
    database: { stats, outside: { ping: async () => {}, backlog } },
    passwords: IDLE,
    now: NOW,
  });
  return {
    read: () => Promise.all(gauges.filter(({ name }) => name.includes('hand_over')).map(({ read }) => read())),
    readings: () => readings,
  };
}

test('reading the metrics reads once what waits to be handed over', async () => {
  const { read, readings } = handOverGauges();

  const values = [await read(), await read()];

  expect(values).toEqual([
    [7, 10],
    [7, 10],
  ]);
  expect(readings()).toBe(2);
});

test('the free space and the age of the last backup are those of the data folder', async () => {
  const dataDir = await emptyFolder();
  const gauges = gaugesOf({ database: { stats }, passwords: IDLE, now: NOW, dataDir });
  const read = async (name: string) => gauges.find((each) => each.name === `hitherto_${name}`)?.read();

  await expect(read('backup_age_seconds')).rejects.toThrow('ENOENT');
  await noteBackup(dataDir, new Date('2026-11-20T11:00:00Z'));

  expect(await read('backup_age_seconds')).toBe(3_600);
  expect(await read('disk_free_bytes')).toBeGreaterThan(0);
});
