import { hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from './settings.ts';

const KEY_BYTES = 32;
/** Next to the folder of the embedded PostgreSQL, so that a copy of the database alone does not have it. */
export const KEY_FILE = 'secret.key';

/**
 * The key that encrypts secrets: from `SECRET_KEY`, or else from a file in the data folder of the embedded PostgreSQL, which is
 * made at the first call. `undefined` with a PostgreSQL elsewhere, whose instances would each have another file.
 */
export function secretKeyOf({
  secretKey,
  databaseUrl,
  dataDir,
}: Pick<Settings, 'secretKey' | 'databaseUrl' | 'dataDir'>): () => Uint8Array | undefined {
  let key: Uint8Array | undefined;
  return () => {
    if (secretKey === undefined && databaseUrl !== undefined) return undefined;
    key ??= secretKey === undefined ? readKeyFile(dataDir) : derive(secretKey);
    return key;
  };
}

function derive(text: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', text, '', 'hitherto secrets', KEY_BYTES));
}

function readKeyFile(dataDir: string): Uint8Array {
  const file = join(dataDir, KEY_FILE);
  mkdirSync(dataDir, { recursive: true });
  const fresh = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(fresh, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flush: true });
  try {
    // Of several processes at once, one makes the file, whole.
    linkSync(fresh, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(fresh);
  }
  return derive(readFileSync(file, 'utf8').trim());
}
