import { type CountedHit, HIT_STRINGS, type JournalledHit } from '@hitherto/domain';
import { storableString } from '../../strings.ts';

/** A hit in the text of its batch. Fields that are `null` are left out. */
type WrittenHit = Record<string, string | number | Record<string, string>>;

/** The text of a batch. */
export function writeHits(hits: readonly (CountedHit & { readonly website: string })[]): string {
  return JSON.stringify(
    hits.map((hit): WrittenHit => {
      const written: WrittenHit = {
        website: hit.website,
        visitor: hit.visitor.toString(),
        time: hit.time.getTime(),
        day: hit.day,
      };
      for (const [column, field] of Object.entries(HIT_STRINGS)) {
        const text = hit[field];
        if (text !== null) written[column] = storableString(text);
      }
      if (hit.props !== null) written.props = textsOf(hit.props);
      return written;
    }),
  );
}

/** The hits of a batch that was written by this version or an earlier one; a dimension that it did not know is `null`. */
export function readHits(batch: bigint, text: string): JournalledHit[] {
  const hits: WrittenHit[] = JSON.parse(text);
  return hits.map((hit, place) => {
    const texts = Object.entries(HIT_STRINGS).map(([column, field]) => [field, hit[column] ?? null]);
    // The fields were written from a hit, by the same table.
    return {
      ...Object.fromEntries(texts),
      batch,
      place,
      website: BigInt(String(hit.website)),
      visitor: BigInt(String(hit.visitor)),
      time: new Date(Number(hit.time)),
      day: String(hit.day),
      props: hit.props ?? null,
    } as JournalledHit;
  });
}

/** Properties as strings, as JavaScript formats them. */
function textsOf(props: NonNullable<CountedHit['props']>): Record<string, string> {
  const texts = Object.entries(props).map(([name, value]) => [storableString(name), storableString(String(value))]);
  return Object.fromEntries(texts);
}
