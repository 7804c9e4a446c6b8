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
  let fail: (reason: unknown) => void = () => {};
  const lost = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const abort = () => fail(signal.reason);
  let check: NodeJS.Timeout | undefined;
  client.on('error', fail);
  client.on('end', () => fail(new Error('Connection terminated')));
  client.on('notification', ({ payload = '' }) => listener(payload));
  signal.addEventListener('abort', abort);
  try {
    await Promise.race([connect(client, channel), lost]);
    presence.seen();
    listener(undefined);
    // A connection can die silently.
    check = setInterval(() => void client.query('select').catch(fail), DATABASE_TIMEOUTS.listenCheck);
    return await lost;
  } finally {
    clearInterval(check);
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

async function connect(client: pg.Client, channel: string): Promise<void> {
  await client.connect();
  await startSession(client, 'listen');
  await client.query(`listen ${channel}`);
}
