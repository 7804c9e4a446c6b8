import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIN_SECRET_LENGTH, type Settings } from './settings.ts';

type KeySettings = Pick<Settings, 'secretKey' | 'databaseUrl' | 'dataDir'>;

const KEY_BYTES = 32;
/** Next to the folder of the embedded PostgreSQL, so that a copy of the database alone does not have it. */
const KEY_FILE = 'secret.key';

/**
 * The key that encrypts secrets: from `SECRET_KEY`, or else from a file in the data folder of the embedded PostgreSQL, which is
 * made at the first call. `undefined` with a PostgreSQL elsewhere, whose instances would each have another file.
 */
export function secretKeyOf({ secretKey, databaseUrl, dataDir }: KeySettings): () => Uint8Array | undefined {
  let key: Uint8Array | undefined;
  return () => {
    if (!hasSecretKey({ secretKey, databaseUrl })) return undefined;
    key ??= secretKey === undefined ? readKeyFile(dataDir) : derive(secretKey);
    return key;
  };
}

/** Whether there is a key that encrypts secrets. */
export function hasSecretKey({ secretKey, databaseUrl }: Pick<KeySettings, 'secretKey' | 'databaseUrl'>): boolean {
  return secretKey !== undefined || databaseUrl === undefined;
}

/** The fault of a key file that is empty or cut, as by a copy to a full disk: a key of what is left would be easy to guess. */
export function keyFileFaults({ secretKey, databaseUrl, dataDir }: Partial<KeySettings>): string[] {
  if (secretKey !== undefined || databaseUrl !== undefined || dataDir === undefined) return [];
  const file = join(dataDir, KEY_FILE);
  if (!existsSync(file) || readFileSync(file, 'utf8').trim().length >= MIN_SECRET_LENGTH) return [];
  return [
    `The file ${file} does not have a whole key: copy it again, or remove it, and create the webhooks and turn the second factors on again.`,
  ];
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
    // If several processes start at the same time, one of them creates the file, and completely.
    linkSync(fresh, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(fresh);
  }
  return derive(readFileSync(file, 'utf8').trim());
}
