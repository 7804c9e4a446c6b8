import { createHash } from 'node:crypto';
import type { CountingLists } from '@hitherto/domain/records';
import { botPatterns } from './bots.ts';
import { linesOfList } from './lists.ts';

/** Tells the lists of this version from those of others. */
export async function countingLists(): Promise<CountingLists> {
  const sources = await Promise.all(['sources.tsv', 'referrer-spammers.txt'].map(linesOfList));
  return { bots: hash(botPatterns()), sources: hash(sources.flat().join('\n')) };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
