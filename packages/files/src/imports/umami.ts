import { fitName, fitProps, storedText } from '@hitherto/domain/files';
import { browserNamed, countryNamed, deviceNamed, languageNamed, systemNamed } from './names.ts';
import { type Fields, given, notCounted, type ReadRow, type RowContext, urlOfParts } from './rows.ts';

/** The types of events: a pageview, and an event of one's own. Others are measurements. */
const PAGEVIEW = '1';
export const EVENT = '2';

/**
 * A row of `website_event.csv`, as Umami's export and its database have it.
 *
 * @param data of the event, by key
 */
export function umamiRow(row: Fields, { origin, timeOf }: RowContext, data: object = {}): ReadRow {
  const { event_type: type = PAGEVIEW } = row;
  if (type !== PAGEVIEW && type !== EVENT) return notCounted(storedText('eventType', type.slice(0, 20)));
  const host = given(row.hostname);
  const referrer = given(row.referrer_domain);
  const name = type === EVENT ? fitName(given(row.event_name) ?? '') : undefined;
  const tag = given(row.tag);
  const tagged = tag === undefined ? {} : { tag };
  // First, because only the first properties are kept, and last, because the tag replaces data of its name.
  const props = name === undefined ? {} : fitProps({ ...tagged, ...data, ...tagged });
  return {
    hit: {
      url: urlOfParts(host === undefined ? origin : `https://${host}`, given(row.url_path), given(row.url_query)),
      ...(referrer === undefined
        ? {}
        : { referrer: urlOfParts(`https://${referrer}`, given(row.referrer_path), given(row.referrer_query)) }),
      ...(name === undefined ? {} : { name }),
      ...(Object.keys(props).length === 0 ? {} : { props }),
      visitor: given(row.session_id) ?? '',
      time: timeOf(row.created_at),
    },
    stated: {
      country: countryNamed(row.country),
      language: languageNamed(row.language),
      browser: browserNamed(row.browser),
      os: systemNamed(row.os),
      device: deviceNamed(row.device),
    },
  };
}
