import { readFileSync } from 'node:fs';

/** The tracker as served to browsers, built from script.ts. */
export function readTracker(): string {
  return readFileSync(new URL('../../dist/tracker/script.js', import.meta.url), 'utf8');
}
