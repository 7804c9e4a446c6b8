import { fitName } from '@hitherto/domain/files';
import { browserNamed, countryNamed, deviceNamed, languageNamed, systemNamed } from './names.ts';
import { type Fields, given, type ReadRow, type RowContext, urlOfParts } from './rows.ts';

const LABELS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'];
/** Of an app too: `android-app://com.reddit.frontpage`. */
const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;

/** A row of Simple Analytics' export of raw data. Any other `datapoint` than `pageview` is the name of an event. */
export function simpleAnalyticsRow(row: Fields, { origin, timeOf }: RowContext): ReadRow {
  const { datapoint = 'pageview' } = row;
  const name = datapoint === 'pageview' || datapoint === '' ? undefined : fitName(datapoint);
  const host = given(row.hostname_original) ?? given(row.hostname);
  const [referrer, userAgent, session] = [row.document_referrer, row.user_agent, row.session_id].map(given);
  return {
    hit: {
      url: urlOfParts(host === undefined ? origin : `https://${host}`, given(row.path), queryOf(row)),
      ...(referrer === undefined ? {} : { referrer: SCHEME.test(referrer) ? referrer : `https://${referrer}` }),
      ...(name === undefined ? {} : { name }),
      ...(userAgent === undefined ? {} : { userAgent }),
      visitor: (session ?? `${userAgent ?? ''} ${row.country_code ?? ''}`).slice(0, 128),
      automated: row.is_robot === 'true' || row.is_robot === '1',
      time: timeOf(row.added_iso),
    },
    stated: {
      country: countryNamed(row.country_code),
      language: languageNamed(row.lang_language),
      ...(userAgent === undefined
        ? {
            browser: browserNamed(row.browser_name),
            os: systemNamed(row.os_name),
            device: deviceNamed(row.device_type),
          }
        : {}),
    },
  };
}

/** The query, or the labels of a campaign where the file has them apart. */
function queryOf(row: Fields): string {
  const query = given(row.query) ?? '';
  if (query.includes('utm_')) return query;
  const labels = LABELS.flatMap((label) => {
    const value = given(row[label]);
    return value === undefined ? [] : [`${label}=${encodeURIComponent(value)}`];
  });
  return [query.replace(/^\?/, ''), ...labels].filter((part) => part !== '').join('&');
}
