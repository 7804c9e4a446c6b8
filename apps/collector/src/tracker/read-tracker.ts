import { readFileSync } from 'node:fs';

/** The tracker as served to browsers, built from script.ts. */
export function readTracker(): string {
  return readFileSync(new URL('../../dist/tracker/script.js', import.meta.url), 'utf8');
}

/** The module that the tracker loads if a website measures engagement, built from measure.ts. */
export function readMeasuring(): string {
  return readFileSync(new URL('../../dist/tracker/measure.js', import.meta.url), 'utf8');
}
