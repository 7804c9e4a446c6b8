import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Every password of the suite begins with it, so that none can pass anywhere unnoticed. */
const CANARY = 'canary-';
/** Keys, passwords, and the hashes of passwords. */
const SECRET = /hto_[0-9A-Za-z]{8,}|canary-[0-9a-f]+|\$argon2/;
/** What the hash of a key looks like; whether it is one, those of the keys in use tell. */
const HASH = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;
const hashesOfKeys = new Set<string>();
/** How the first start tells its key, and how `keys create` does: once each, and nowhere else may one stand. */
const FIRST_KEY = /^ {2}(hto_\w+)\n\n.*\n\n {2}curl -H 'Authorization: Bearer \1' /m;
const MADE_KEY = /^hto_\w+$/m;
/** A secret that is cut in two by chunks of output is found in the end of one and the next. */
const OVERLAP = 100;

/** A password that nothing may ever tell. */
export function canary(): string {
  return CANARY + randomBytes(8).toString('hex');
}

/** Has the hash of a key looked for as well: it is in the database, and nowhere else. */
export function watchKey(key: string): void {
  hashesOfKeys.add(createHash('sha256').update(key).digest('hex'));
}

/** What was looked through, and what was found, in the whole run. */
export const secretsWatch = { bytes: 0, found: [] as string[] };

/** Looks through a text that no secret may stand in: an answer, a metric, a line of a log. */
export function lookForSecrets(text: string, where: string): void {
  secretsWatch.bytes += Buffer.byteLength(text);
  const found = SECRET.exec(text)?.[0] ?? text.match(HASH)?.find((hash) => hashesOfKeys.has(hash));
  // What was found is not repeated whole: this goes into a log as well.
  if (found !== undefined) secretsWatch.found.push(`${where}: ${found.slice(0, 8)}… at ${text.indexOf(found)}`);
}

/** Looks through a file, if it is there. */
export function lookForSecretsIn(file: string): void {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return;
  }
  lookForSecrets(text, file);
}

/** Looks through a stream in parts. */
export function secretsScanner(where: string): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    lookForSecrets(rest + chunk, where);
    rest = chunk.slice(-OVERLAP);
  };
}

/** Looks through what a program writes, but for the key that it is there to tell. */
export function outputScanner(
  [command, action]: readonly string[],
  stream: 'standard output' | 'standard error',
): (chunk: string) => void {
  const scan = secretsScanner(stream);
  let told: RegExp | undefined;
  if (command === 'serve' && stream === 'standard error') told = FIRST_KEY;
  if (command === 'keys' && action === 'create' && stream === 'standard output') told = MADE_KEY;
  return (chunk) => {
    const rest = told === undefined ? chunk : chunk.replace(told, '');
    if (rest !== chunk) told = undefined;
    scan(rest);
  };
}
