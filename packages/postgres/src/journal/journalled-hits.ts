import type { WrittenHit } from '@hitherto/domain/engine';
import { writeFields } from '@hitherto/domain/engine';
import type { CountedHit } from '@hitherto/domain/hits';

/**
 * The text of a batch: a line for each hit, with the place of its website, its day and its fields.
 *
 * @param websiteIds the websites of the hits
 */
export function writeHits(hits: readonly CountedHit[], websiteIds: readonly string[]): string {
  const places = new Map(websiteIds.map((id, place) => [id, place]));
  return hits.map((hit) => `${places.get(hit.websiteId)} ${hit.day} ${writeFields(hit)}`).join('\n');
}

/** A batch as it is read: its number, the numbers of its websites, `null` of deleted ones, and its text. */
export interface WrittenBatch {
  readonly number: string;
  readonly websites: readonly (string | null)[];
  readonly hits: string;
}

/** The hits of a batch, except hits of deleted websites. */
export function readBatch(batch: WrittenBatch): WrittenHit[] {
  const read = readLines(batch);
  return batch.hits.split('\n').flatMap((line, place) => read(line, place) ?? []);
}

/** Stands for a hit that was deleted: it is of no website, and the others keep their places. */
const DELETED = '- ';

/** The text of a batch without some of its hits. */
export function withoutHits(batch: WrittenBatch, isDeleted: (hit: WrittenHit) => boolean): string {
  const read = readLines(batch);
  const lines = batch.hits.split('\n').map((line, place) => {
    const hit = read(line, place);
    return hit !== undefined && isDeleted(hit) ? DELETED : line;
  });
  return lines.join('\n');
}

function readLines({ number, websites }: WrittenBatch): (line: string, place: number) => WrittenHit | undefined {
  const batch = BigInt(number);
  const numbers = websites.map((website) => (website === null ? undefined : BigInt(website)));
  return (line, place) => {
    const [day, fields] = [line.indexOf(' ') + 1, line.indexOf('{')];
    const website = numbers[Number(line.slice(0, day))];
    return website === undefined
      ? undefined
      : { website, batch, place, day: line.slice(day, fields - 1), fields: line.slice(fields) };
  };
}
