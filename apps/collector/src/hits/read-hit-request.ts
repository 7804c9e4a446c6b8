import type { IncomingHttpHeaders } from 'node:http';
import { echoedName } from '@hitherto/domain/base';
import {
  type AddressedHit,
  type HitInput,
  type HitSender,
  type MeasureInput,
  type PropertyValue,
  readHit,
  readMeasure,
  type SentMeasure,
} from '@hitherto/domain/hits';
import { InvalidRequest, readAddress, type Sender, type WireFault } from '@hitherto/http';

/** The fields of the body of `POST /hits`, in the order in which they are documented. */
export const HIT_FIELDS = [
  'website',
  'url',
  'referrer',
  'name',
  'props',
  'automated',
  'same_document',
  'view',
] as const;

/** The fields of a body that tells how a pageview was looked at. */
export const MEASURE_FIELDS = ['website', 'view', 'seconds', 'scroll', 'age'] as const;

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

/**
 * Reads the body of `POST /hits` (tracker.md). `null` stands for an optional field that is absent.
 *
 * @throws InvalidRequest with all faults
 */
export function readHitBody(body: object, from: HitSender): AddressedHit {
  const faults: WireFault[] = [];
  const input: Mutable<HitInput> = {};
  let website: string | undefined;
  for (const [field, value] of Object.entries(body)) {
    switch (field) {
      case 'website':
        if (typeof value === 'string') website = value;
        else faults.push(wrongType(field, 'a string'));
        break;
      case 'url':
        if (typeof value === 'string') input.url = value;
        else faults.push(wrongType(field, 'a string'));
        break;
      case 'referrer':
      case 'name':
        if (typeof value === 'string') input[field] = value;
        else if (value !== null) faults.push(wrongType(field, 'a string'));
        break;
      case 'props':
        if (isProps(value)) input.props = value;
        else if (value !== null) faults.push(...propsFaults(field, value));
        break;
      case 'automated':
        if (typeof value === 'boolean') input.automated = value;
        else if (value !== null) faults.push(wrongType(field, 'true or false'));
        break;
      case 'same_document':
        if (typeof value === 'boolean') input.sameDocument = value;
        else if (value !== null) faults.push(wrongType(field, 'true or false'));
        break;
      case 'view':
        if (typeof value === 'number') input.view = value;
        else if (value !== null) faults.push(wrongType(field, 'a number'));
        break;
      default:
        faults.push({
          field: echoedName(field),
          code: 'unknown',
          detail: `This field is unknown. The fields are ${HIT_FIELDS.join(', ')}.`,
        });
    }
  }
  return checked(website, input, faults, from);
}

/** Whether the body of `POST /hits` tells of a pageview that was sent before. */
export function isMeasure(body: object): boolean {
  return 'seconds' in body || 'scroll' in body;
}

/** A measure of a pageview, and the website that it names. */
export interface AddressedMeasure {
  readonly website: string;
  readonly measure: SentMeasure;
}

/**
 * Reads such a body.
 *
 * @throws InvalidRequest with all faults
 */
export function readMeasureBody(body: object, from: HitSender): AddressedMeasure {
  const faults: WireFault[] = [];
  const input: Mutable<MeasureInput> = {};
  let website = '';
  for (const [field, value] of Object.entries(body)) {
    switch (field) {
      case 'website':
        if (typeof value === 'string') website = value;
        else faults.push(wrongType(field, 'a string'));
        break;
      case 'view':
      case 'seconds':
      case 'scroll':
      case 'age':
        if (typeof value === 'number') input[field] = value;
        else faults.push(wrongType(field, 'a number'));
        break;
      default:
        faults.push({
          field: echoedName(field),
          code: 'unknown',
          detail: `This field is unknown. With "seconds", the fields are ${MEASURE_FIELDS.join(', ')}.`,
        });
    }
  }
  const known = new Set(faults.map(({ field }) => field));
  if (website === '' && !known.has('website')) faults.push(WEBSITE_REQUIRED);
  const read = readMeasure(input, from);
  if ('faults' in read) faults.push(...read.faults.filter(({ field }) => !known.has(field)));
  if (faults.length > 0 || 'faults' in read) throw new InvalidRequest(faults);
  return { website, measure: read.measure };
}

const WEBSITE_REQUIRED: WireFault = {
  field: 'website',
  code: 'required',
  detail: 'The id of the website is required.',
};

/**
 * Reads the parameters of `GET /hits.gif`.
 *
 * @param page the `Referer` header, which is the page if there is no `url`
 * @throws InvalidRequest with all faults
 */
export function readPixelQuery(
  query: Readonly<Record<string, unknown>>,
  page: string | undefined,
  from: HitSender,
): AddressedHit {
  const faults: WireFault[] = [];
  const text = (parameter: string): string | undefined => {
    const value = query[parameter];
    if (value === undefined || typeof value === 'string') return value;
    faults.push({ field: parameter, code: 'repeated', detail: 'This parameter is repeated.' });
    return undefined;
  };
  const website = text('website');
  const url = text('url') ?? page;
  const referrer = text('referrer');
  return checked(
    website,
    { ...(url === undefined ? {} : { url }), ...(referrer === undefined ? {} : { referrer }) },
    faults,
    from,
  );
}

/** Whether a value is an object of property values. */
function isProps(value: unknown): value is Record<string, PropertyValue> {
  return isObject(value) && Object.values(value).every(isScalar);
}

/** Whether a value is an object, and no list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function wrongType(field: string, expected: string): WireFault {
  return { field, code: 'invalid_type', detail: `Must be ${expected}.` };
}

/** The expected type, for a value that is not an object. */
export const WRONG_PROPS = 'an object of strings, numbers and booleans';

/** The faults of a value that is not {@link isProps}: each property that has no plain value, or the whole. */
function propsFaults(field: string, value: unknown): WireFault[] {
  if (!isObject(value)) return [wrongType(field, WRONG_PROPS)];
  return Object.entries(value)
    .filter(([, property]) => !isScalar(property))
    .map(([name]) => wrongType(`${field}.${echoedName(name)}`, 'a string, a number or a boolean'));
}

/**
 * The hit of a request without faults. A field gets at most one fault.
 *
 * @param sentName the name of a field in the request
 * @throws InvalidRequest
 */
export function checked(
  website: string | undefined,
  input: HitInput,
  faults: readonly WireFault[],
  from: HitSender,
  sentName = (field: string) => field,
): AddressedHit {
  const read = readHit(input, from);
  const known = new Set(faults.map(({ field }) => field));
  const all = [...faults];
  if ((website === undefined || website === '') && !known.has('website')) {
    all.push(WEBSITE_REQUIRED);
  }
  if ('faults' in read) all.push(...read.faults.filter(({ field }) => !known.has(field)));
  if (all.length > 0 || website === undefined || 'faults' in read) {
    throw new InvalidRequest(all.map((fault) => ({ ...fault, field: sentName(fault.field) })));
  }
  return { website, hit: read.hit };
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The sender of a browser's hit: address, user agent and language come from its connection and headers (tracker.md). */
export function browserOf({ ip, headers }: Sender, time: Date): HitSender {
  return {
    sender: 'browser',
    prefetch: isPrefetch(headers),
    ip: readAddress(ip),
    userAgent: headers['user-agent'],
    language: headers['accept-language'],
    time,
  };
}

/** Whether the request is a prefetch or prerender (counting.md). */
function isPrefetch(headers: IncomingHttpHeaders): boolean {
  const { purpose, 'sec-purpose': secPurpose, 'x-moz': moz } = headers;
  if (secPurpose === undefined && purpose === undefined && moz === undefined) return false;
  return (
    /prefetch|prerender/i.test(String(secPurpose)) ||
    [purpose, moz].some((value) => /^\s*prefetch\s*$/i.test(String(value)))
  );
}
