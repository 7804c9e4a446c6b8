import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Presence } from './presence.ts';
import { startSession } from './session.ts';
import { type Connection, clientConfig } from './settings.ts';
import { DATABASE_TIMEOUTS } from './timeouts.ts';

/**
 * Implements `Database.listen`. While there is no connection, every attempt reports that notifications may have been
 * missed.
 */
export function listen(
  connection: Connection,
  channel: string,
  listener: (payload: string | undefined) => void,
  signal: AbortSignal,
  presence: Presence,
): void {
  const run = async () => {
    while (!signal.aborted) {
      try {
        await listenOnce(connection, channel, listener, signal, presence);
      } catch (error) {
        if (signal.aborted) return;
        presence.lost(error);
        listener(undefined);
      }
      await sleep(DATABASE_TIMEOUTS.reconnect, undefined, { signal }).catch(() => {});
    }
  };
  void run();
}

/** Listens on one connection, and rejects when it is lost or the signal aborts. */
async function listenOnce(
  connection: Connection,
  channel: string,
  listener: (payload: string | undefined) => void,
  signal: AbortSignal,
  presence: Presence,
): Promise<never> {
  const socket = new Socket();
  const client = new pg.Client({ ...clientConfig(connection, 'listen'), stream: () => socket });
  const lost = new Promise<never>((_, reject) => {
    client.on('error', reject);
    client.on('end', () => reject(new Error('Connection terminated')));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  client.on('notification', ({ payload = '' }) => listener(payload));
  try {
    await Promise.race([connect(client, channel), lost]);
    presence.seen();
    listener(undefined);
    for (;;) {
      await Promise.race([sleep(DATABASE_TIMEOUTS.listenCheck), lost]);
      // A connection can die silently.
      await Promise.race([client.query('select'), lost]);
    }
  } finally {
    socket.destroy();
  }
}

async function connect(client: pg.Client, channel: string): Promise<void> {
  await client.connect();
  await startSession(client, 'listen');
  await client.query(`listen ${channel}`);
}
