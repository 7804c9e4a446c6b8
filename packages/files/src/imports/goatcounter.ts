import { fitName } from '@hitherto/domain/files';
import { browserNamed, countryNamed, systemNamed } from './names.ts';
import { type Fields, given, type LineContext, type ReadRow, type Stated, urlOfParts } from './rows.ts';
import { cutValueOf } from './sums.ts';

/** The hosts of groups of referrers, which GoatCounter has by their names. */
const GROUPS: ReadonlyMap<string, string> = new Map([
  ['baidu', 'www.baidu.com'],
  ['bing', 'www.bing.com'],
  ['duckduckgo', 'duckduckgo.com'],
  ['ecosia', 'www.ecosia.org'],
  ['facebook', 'www.facebook.com'],
  ['google', 'www.google.com'],
  ['hacker news', 'news.ycombinator.com'],
  ['lobsters', 'lobste.rs'],
  ['reddit', 'www.reddit.com'],
  ['slack chat', 'slack.com'],
  ['startpage', 'www.startpage.com'],
  ['telegram messenger', 'web.telegram.org'],
  ['twitter', 't.co'],
  ['wikipedia', 'en.wikipedia.org'],
  ['yahoo', 'search.yahoo.com'],
  ['yandex', 'yandex.ru'],
]);

/** Some groups have the name of a host: `www.reddit.com`, which stands for Reddit's apps too. */
const HOST = /^[\w-]+(?:\.[\w-]+)+$/;

/** How GoatCounter writes the session of a hit without one. */
const NO_SESSION = '0-0';

/** A row of GoatCounter's export of version 2. Paths have no host, and times an offset. */
export function goatCounterRow(row: Fields, { origin, timeOf, line }: LineContext): ReadRow {
  const { Path: _, Session: session = '', Bot: bot = '0' } = row;
  const path = row['2Path'] ?? '/';
  const isEvent = row.Event === 'true' || row.Event === '1';
  const name = isEvent ? fitName(path.replace(/^\//, '')) : undefined;
  const userAgent = given(row.UserAgent);
  const country = countryNamed(row.Location);
  return {
    hit: {
      url: isEvent ? urlOfParts(origin) : withCampaign(urlOfParts(origin, path), row),
      ...referrerOf(row),
      ...(name === undefined ? {} : { name }),
      ...(userAgent === undefined ? {} : { userAgent }),
      // Sessions can be turned off.
      visitor: session === '' || session === NO_SESSION ? `line ${line}` : session,
      automated: bot !== '0' && bot !== '',
      time: timeOf(row.Date),
    },
    stated: {
      country,
      ...groupOf(row),
      ...(userAgent === undefined ? { browser: browserNamed(row.Browser), os: systemNamed(row.System) } : {}),
      ...(userAgent === undefined ? { device: deviceOf(row) } : {}),
    },
  };
}

/** A campaign without a label of its source has the referrer as it was sent. */
const ADDRESS = /^https?:\/\//;

/** The scheme `h` is a host with its path, `g` a group, `c` the label of a campaign, and `o` something else. */
function referrerOf({ Referrer: text = '', 'Referrer scheme': scheme }: Fields): { referrer?: string } {
  if (scheme === 'c') return ADDRESS.test(text) ? { referrer: text } : {};
  if (text === '' || scheme === 'o') return {};
  const address = scheme === 'g' ? hostOfGroup(text) : text;
  return address === undefined ? {} : { referrer: `https://${address}` };
}

function hostOfGroup(name: string): string | undefined {
  return GROUPS.get(name.toLowerCase()) ?? (HOST.test(name) ? name : undefined);
}

/** A group of several sites, such as Email, is a source by its name. */
function groupOf({ Referrer: text = '', 'Referrer scheme': scheme }: Fields): Stated {
  const isSource = scheme === 'g' && text !== '' && hostOfGroup(text) === undefined;
  return isSource ? { source: cutValueOf(text), channel: 'Referral' } : {};
}

function withCampaign(url: string, { Referrer: text = '', 'Referrer scheme': scheme }: Fields): string {
  if (scheme !== 'c' || text === '' || ADDRESS.test(text)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}utm_source=${encodeURIComponent(text)}`;
}

/** By its system, because the file has no kind of device. */
function deviceOf({ System: system = '' }: Fields) {
  const name = systemNamed(system);
  if (name === 'Android' || name === 'iOS') return 'mobile' as const;
  return name === null ? ('other' as const) : ('desktop' as const);
}
