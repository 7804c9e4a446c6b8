import { statfs } from 'node:fs/promises';
import type { Backlog } from '@hitherto/domain/engine';
import type { GaugeToRead } from '@hitherto/http';
import type { OpenedDatabase, OutsideEngine } from '../installation/database.ts';
import { lastBackup } from '../installation/last-backup.ts';

/** What gauges are read from. */
export interface GaugeDependencies {
  readonly database: Pick<OpenedDatabase, 'stats' | 'outside'>;
  readonly now: () => Date;
  /** The folder of the embedded database, if this process reports on it. */
  readonly dataDir?: string | undefined;
  readonly passwords: { load(): { readonly active: number; readonly waiting: number } };
}

/** Gauges of the database's connections, its disk and backups, and of password hashing. */
export function gaugesOf({ database, passwords, now, dataDir }: GaugeDependencies): readonly GaugeToRead[] {
  const gauge = (name: string, help: string, read: GaugeToRead['read']) => ({ name: `hitherto_${name}`, help, read });
  const { outside } = database;
  let reading: Promise<Backlog> | undefined;
  /** Both gauges are read at the same time: one reading is enough, also while the database does not respond. */
  const backlogOf = (engine: OutsideEngine) => {
    reading ??= engine.backlog().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  return [
    gauge('database_connections', 'Connections of the pool.', () => database.stats().total),
    gauge('database_connections_idle', 'Idle connections of the pool.', () => database.stats().idle),
    gauge('database_waiting', 'Requests that wait for a connection.', () => database.stats().waiting),
    gauge('password_hashes_active', 'Password hashes being computed.', () => passwords.load().active),
    gauge('password_hashes_waiting', 'Password hashes that wait.', () => passwords.load().waiting),
    ...(dataDir === undefined
      ? []
      : [
          gauge('disk_free_bytes', 'Free space for the embedded database.', async () => {
            const { bavail, bsize } = await statfs(dataDir);
            return bavail * bsize;
          }),
          gauge('backup_age_seconds', 'Time since the last whole backup of the embedded database.', async () => {
            return (now().getTime() - (await lastBackup(dataDir)).getTime()) / 1_000;
          }),
        ]),
    ...(outside === undefined
      ? []
      : [
          gauge('hand_over_waiting', 'Hits that wait to be handed over to the engine.', async () => {
            return (await backlogOf(outside)).hits;
          }),
          gauge('hand_over_waiting_seconds', 'Age of the oldest of them.', async () => {
            const { since } = await backlogOf(outside);
            return since === undefined ? 0 : (now().getTime() - since.getTime()) / 1_000;
          }),
        ]),
  ];
}
