import { createHash, randomBytes } from 'node:crypto';
import { readIfThere } from '@hitherto/testing/proc';

/** The prefix of every password in the suite, by which it is recognized anywhere. */
const CANARY = 'canary-';
/** Keys, passwords, and the hashes of passwords. */
const SECRET = /hto_[0-9A-Za-z]{8,}|canary-[0-9a-f]+|\$argon2/;
/** Strings that look like the hash of a key; only hashes of keys in use count. */
const HASH = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;
const hashesOfKeys = new Set<string>();
/** How `keys create` prints a key: once. A key must not appear anywhere else. */
const MADE_KEY = /^hto_\w+$/m;
/** A secret that is split between chunks of output is found in the end of one and the next. */
const OVERLAP = 100;

/** A password that must never appear. */
export function canary(): string {
  return CANARY + randomBytes(8).toString('hex');
}

/** Also searches for the hash of a key, which must be in the database and nowhere else. */
export function watchKey(key: string): void {
  hashesOfKeys.add(createHash('sha256').update(key).digest('hex'));
}

/** The number of searched strings, and the findings, in the whole run. */
export const secretsWatch = { bytes: 0, found: [] as string[] };

/** Searches a string that must not contain a secret: a response, a metric, a log line. */
export function lookForSecrets(text: string, where: string): void {
  secretsWatch.bytes += Buffer.byteLength(text);
  const found = SECRET.exec(text)?.[0] ?? text.match(HASH)?.find((hash) => hashesOfKeys.has(hash));
  // Only the beginning, because this goes into a log as well.
  if (found !== undefined) secretsWatch.found.push(`${where}: ${found.slice(0, 8)}… at ${text.indexOf(found)}`);
}

/** Searches a file, if it exists. */
export function lookForSecretsIn(file: string): void {
  lookForSecrets(readIfThere(file), file);
}

/** Searches a stream in parts. */
export function secretsScanner(where: string): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    lookForSecrets(rest + chunk, where);
    rest = chunk.slice(-OVERLAP);
  };
}

/** Searches the output of a program, except for the key that it is meant to print. */
export function outputScanner(
  [command, action]: readonly string[],
  stream: 'standard output' | 'standard error',
): (chunk: string) => void {
  const scan = secretsScanner(stream);
  let printed: RegExp | undefined;
  if (command === 'keys' && action === 'create' && stream === 'standard output') printed = MADE_KEY;
  return (chunk) => {
    const rest = printed === undefined ? chunk : chunk.replace(printed, '');
    if (rest !== chunk) printed = undefined;
    scan(rest);
  };
}
