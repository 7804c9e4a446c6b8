import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Tls } from '@hitherto/http';
import { SETTINGS, type Settings } from '../installation/settings.ts';
import { fileFaults } from '../installation/settings-files.ts';

/** The certificate and its key; `undefined` if the service speaks plain HTTP. */
export function readTls({ tlsCert, tlsKey }: Settings): Tls | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) };
}

/** The faults of the certificate and key files. */
export function tlsFaults({ tlsCert, tlsKey }: Partial<Settings>): string[] {
  if (tlsCert === undefined || tlsKey === undefined) return [];
  const unread = [...fileFaults(SETTINGS.tlsCert.name, tlsCert), ...fileFaults(SETTINGS.tlsKey.name, tlsKey)];
  if (unread.length > 0) return unread;
  try {
    createSecureContext({ cert: readFileSync(tlsCert), key: readFileSync(tlsKey) });
    return [];
  } catch {
    return ['TLS_CERT and TLS_KEY must be a certificate and its private key, both in PEM.'];
  }
}
