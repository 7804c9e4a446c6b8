import { eachOf, requestOf } from '../load/request.ts';
import { FILLED_AT, type FilledAccount } from './fill.ts';

const OPERATIONS = ['show', 'show, If-None-Match', 'create', 'update', 'list page'] as const;
export type OperationName = (typeof OPERATIONS)[number];

const WEBSITES = '/api/v1/websites';
/** The entity tag of the websites that were filled in. */
const ETAG = `"${FILLED_AT.getTime().toString(36)}"`;

let made = 0;
/** A string that no run has used before. */
const unused = () => `${process.pid.toString(36)}-${Date.now().toString(36)}-${made++}`;

/** The requests of an account. */
export function operationsOn({ key, websiteIds }: FilledAccount): Record<OperationName, () => string> {
  const headers = { authorization: `Bearer ${key}` };
  const json = { ...headers, 'content-type': 'application/json' };
  const id = eachOf(websiteIds);
  return {
    show: () => requestOf('GET', `${WEBSITES}/${id()}`, headers),
    'show, If-None-Match': () => requestOf('GET', `${WEBSITES}/${id()}`, { ...headers, 'if-none-match': ETAG }),
    create: () => requestOf('POST', WEBSITES, json, JSON.stringify({ url: `https://${unused()}.example` })),
    // A new value each time, so that each update is written.
    update: () => requestOf('PATCH', `${WEBSITES}/${id()}`, json, JSON.stringify({ exclude_params: unused() })),
    'list page': () => requestOf('GET', `${WEBSITES}?per_page=25`, headers),
  };
}
