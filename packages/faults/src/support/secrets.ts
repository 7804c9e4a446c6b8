import { randomBytes } from 'node:crypto';

/** Every password of the suite begins with it, so that none can pass anywhere unnoticed. */
const CANARY = 'canary-';
/** Keys, passwords, and the hashes of passwords. */
const SECRET = /hto_[0-9A-Za-z]{8,}|canary-[0-9a-f]+|\$argon2/;
/** A secret that is cut in two by chunks of output is found in the end of one and the next. */
const OVERLAP = 100;

/** A password that nothing may ever tell. */
export function canary(): string {
  return CANARY + randomBytes(8).toString('hex');
}

/** What was looked through, and what was found, in the whole run. */
export const secretsWatch = { bytes: 0, found: [] as string[] };

/** Looks through a text that no secret may stand in: an answer, a metric, a line of a log. */
export function lookForSecrets(text: string, where: string): void {
  secretsWatch.bytes += Buffer.byteLength(text);
  const found = SECRET.exec(text);
  // What was found is not repeated whole: this goes into a log as well.
  if (found !== null) secretsWatch.found.push(`${where}: ${found[0].slice(0, 8)}… at ${found.index}`);
}

/** Looks through a stream in parts. */
export function secretsScanner(where: string): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    lookForSecrets(rest + chunk, where);
    rest = chunk.slice(-OVERLAP);
  };
}
