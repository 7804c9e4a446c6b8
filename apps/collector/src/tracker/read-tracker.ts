import { readFileSync } from 'node:fs';

/** The tracker as it is served to browsers; the build makes it of script.ts. */
export function readTracker(): string {
  return readFileSync(new URL('../../dist/tracker/script.js', import.meta.url), 'utf8');
}
