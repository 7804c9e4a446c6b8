import {
  fitName,
  fitProps,
  hostAndPath,
  type ImportRow,
  type RowHit,
  type RowPlace,
  storableString,
  storedText,
} from '@hitherto/domain/files';
import { type FileContent, namedIn, placeIn } from './contents.ts';
import { type ArrayItem, arrayItems } from './json-array.ts';
import { type JsonObject, jsonObject } from './json-object.ts';
import { cutValue } from './lines.ts';
import { browserNamed, countryNamed, deviceNamed, languageNamed, systemNamed } from './names.ts';
import { flatMap, type RowContext, type Stated, urlOfParts } from './rows.ts';

/** A visit, with its actions in `actionDetails`. */
export type MatomoVisit = JsonObject;

/** The rows of a response of Matomo's `Live.getLastVisitsDetails` as JSON: an array of visits with their actions. */
export async function* matomoRows(file: FileContent, context: RowContext): AsyncGenerator<Iterable<ImportRow>> {
  const inFile = placeIn(file);
  const rowsOf = ({ number, text }: ArrayItem): Iterable<ImportRow> => {
    const visit = jsonObject(text);
    const place = { ...inFile, visit: number };
    if (visit !== undefined) return visitRows(visit, place, context);
    return [{ ...place, skipped: { reason: 'faulty', text: storedText('noObject') } }];
  };
  for await (const items of arrayItems(await file.bytes(), namedIn(file))) yield flatMap(items, rowsOf);
}

/** The actions of a visit. */
export function* visitRows(visit: MatomoVisit, place: RowPlace, { origin }: RowContext): Generator<ImportRow> {
  const actions = Array.isArray(visit.actionDetails) ? visit.actionDetails : [];
  const stated = statedOf(visit);
  // Links and downloads have their own addresses, so they are of the page before.
  let page = '';
  let isFirst = true;
  for (const [index, action] of actions.entries()) {
    const at = { ...place, action: index + 1 };
    if (!isObject(action)) {
      yield { ...at, skipped: { reason: 'faulty', text: storedText('actionNoObject') } };
      continue;
    }
    const type = textOf(action, 'type');
    if (type === 'action' || type === 'event' || type === 'search') page = textOf(action, 'url') || page;
    // A visit can begin with a link or download: Matomo does not say on which page.
    const url = page === '' && type !== 'action' ? urlOfParts(origin) : page;
    const hit = hitOf(visit, action, type, url, isFirst);
    if (hit === undefined) {
      yield { ...at, skipped: { reason: 'not_counted', text: storedText('actionType', type.slice(0, 20)) } };
      continue;
    }
    isFirst = false;
    yield { ...at, hit, stated };
  }
}

function hitOf(
  visit: JsonObject,
  action: JsonObject,
  type: string,
  page: string,
  isFirst: boolean,
): RowHit | undefined {
  const event = eventOf(action, type);
  if (type !== 'action' && event === undefined) return undefined;
  const referrer = isFirst ? textOf(visit, 'referrerUrl') : '';
  return {
    url: isFirst ? withCampaign(page, visit) : page,
    ...(referrer === '' ? {} : { referrer }),
    ...event,
    visitor: (textOf(visit, 'visitorId') || `visit ${textOf(visit, 'idVisit')}`).slice(0, 128),
    time: new Date(Number(action.timestamp) * 1_000),
  };
}

/** The event of an action, as requests to `/matomo.php` are counted; `undefined` for others. */
function eventOf(action: JsonObject, type: string): Pick<RowHit, 'name' | 'props'> | undefined {
  const field = (name: string) => textOf(action, name);
  const event = (name: string, props: Readonly<Record<string, string | number>>) => {
    const fitting = fitProps(Object.fromEntries(Object.entries(props).filter(([, value]) => value !== '')));
    return { name: fitName(name), ...(Object.keys(fitting).length === 0 ? {} : { props: fitting }) };
  };
  switch (type) {
    case 'outlink':
    case 'download':
      return event(type === 'outlink' ? 'Outbound link' : 'Download', { url: hostAndPath(field('url')) });
    case 'event': {
      const props = {
        category: field('eventCategory'),
        name: field('eventName'),
        value: numberOf(field('eventValue')),
      };
      return event(field('eventAction'), props);
    }
    case 'search': {
      const count = numberOf(field('siteSearchCount'));
      return event('Search', { keyword: field('siteSearchKeyword'), category: field('siteSearchCategory'), count });
    }
    default:
      return undefined;
  }
}

function numberOf(text: string): number | string {
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** The campaign of a visit, unless the address of its first page names it. */
function withCampaign(page: string, visit: JsonObject): string {
  if (textOf(visit, 'referrerType') !== 'campaign' || page.includes('utm_')) return page;
  const labels = [
    ['utm_campaign', textOf(visit, 'referrerName')],
    ['utm_term', textOf(visit, 'referrerKeyword')],
  ].filter(([, value]) => value !== '');
  const query = labels.map(([label, value = '']) => `${label}=${encodeURIComponent(storableString(value))}`).join('&');
  const [address = '', hash] = page.split('#', 2);
  return `${address}${address.includes('?') ? '&' : '?'}${query}${hash === undefined ? '' : `#${hash}`}`;
}

function statedOf(visit: JsonObject): Stated {
  return {
    country: countryNamed(textOf(visit, 'countryCode')),
    language: languageNamed(textOf(visit, 'languageCode')),
    browser: browserNamed(textOf(visit, 'browserName')),
    os: systemNamed(textOf(visit, 'operatingSystemName')),
    device: deviceNamed(textOf(visit, 'deviceType')),
  };
}

/** A field as a string; empty if it is absent, or neither a string nor a number. */
function textOf(value: JsonObject, field: string): string {
  const given = value[field];
  return typeof given === 'string' || typeof given === 'number' ? cutValue(String(given)) : '';
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
