import type { Day } from '@hitherto/domain/calendar';
import type { HitJournal } from '@hitherto/domain/engine';
import { type HidingRule, type HitKey, hiddenHits } from '@hitherto/domain/visits';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, join, sql } from '../connection/sql.ts';
import { readDay } from '../moving/moved-hits.ts';
import { counts } from '../reading/day-forms.ts';
import { storedTable } from '../tables/tables.ts';
import { rebuildDays } from './rebuild.ts';

type EraseJournal = Pick<HitJournal, 'exclusively' | 'findWebsite' | 'importNumbers' | 'erase'>;

/** How many hits a statement names. */
const MAX_HITS = 5_000;

/**
 * Deletes the hits of the visits of a day that a rule hides: from the journal first, and then from the table, by which they are found
 * again if this ends in between. Their visits go last, because without hits they would not be looked for.
 */
export async function eraseDay(
  server: ClickHouse,
  journal: EraseJournal,
  cluster: string | undefined,
  websiteId: string,
  day: Day,
  rule: HidingRule,
): Promise<void> {
  const found = await journal.findWebsite(websiteId);
  if (found === undefined) return;
  const website = found.number;
  await journal.exclusively(async (version) => {
    const hidden: HitKey[] = [];
    for await (const hits of readDay(server, { website, day }, counts(await journal.importNumbers('done')))) {
      const ofWebsite = hits.map((hit) => ({ ...hit, websiteId }));
      hidden.push(...hiddenHits(ofWebsite, [rule]));
    }
    await journal.erase(website, day, hidden);
    for (let start = 0; start < hidden.length; start += MAX_HITS) {
      const keys = hidden
        .slice(start, start + MAX_HITS)
        .map(({ visitor, time, page, view, measure }) =>
          measure !== undefined && view !== undefined
            ? sql`(${visitor}, 1, ${view}, '')`
            : sql`(${visitor}, ${measure === undefined ? 0 : 2}, ${time.getTime()}, ${measure === undefined ? '' : page})`,
        );
      await server.write(sql`
        delete from ${storedTable('hit', cluster)}
        where website = ${website} and day = ${dayLiteral(day)} and (
          visitor, multiIf(is_measure = 0, 0, view > 0, 1, 2), if(is_measure = 1 and view > 0, toInt64(view), toUnixTimestamp64Milli(time)),
          if(is_measure = 1 and view = 0, page, '')
        ) in (${join(keys)})`);
    }
    await rebuildDays(server, cluster, [{ website, day }], version);
  });
}
