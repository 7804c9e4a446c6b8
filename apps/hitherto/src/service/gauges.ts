import type { GaugeSource } from '@hitherto/http';
import type { Database } from '../database.ts';

/** The sources of gauges. */
export interface Measured {
  readonly database: Pick<Database, 'stats'>;
  readonly passwords: { load(): { readonly active: number; readonly waiting: number } };
}

/** Gauges of the database's connections and of password hashing. */
export function gaugesOf({ database, passwords }: Measured): readonly GaugeSource[] {
  const gauge = (name: string, help: string, read: () => number) => ({ name: `hitherto_${name}`, help, read });
  return [
    gauge('database_connections', 'Connections of the pool.', () => database.stats().total),
    gauge('database_connections_idle', 'Idle connections of the pool.', () => database.stats().idle),
    gauge('database_waiting', 'Requests that wait for a connection.', () => database.stats().waiting),
    gauge('password_hashes_active', 'Password hashes being computed.', () => passwords.load().active),
    gauge('password_hashes_waiting', 'Password hashes that wait.', () => passwords.load().waiting),
  ];
}
