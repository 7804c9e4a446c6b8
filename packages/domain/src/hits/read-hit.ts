import { echoedName, type Fault, inWords } from '../base/errors.ts';
import { readWebUrl } from '../base/url.ts';
import { readReferrer } from './attribution.ts';
import { HIT_LIMITS, type Hit, MEASURE_LIMITS, type PropertyValue, UNUSABLE_CHARACTER } from './hit.ts';

/** A hit as a sender or a file has it: fields of the right types, not yet checked. */
export interface HitInput {
  readonly url?: string | undefined;
  readonly referrer?: string | undefined;
  readonly name?: string | undefined;
  readonly props?: Readonly<Record<string, PropertyValue>> | undefined;
  readonly automated?: boolean | undefined;
  readonly sameDocument?: boolean | undefined;
  readonly view?: number | undefined;
  // A browser's connection and headers have the rest.
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly language?: string | undefined;
  readonly visitor?: string | undefined;
  /** RFC 3339. */
  readonly time?: string | undefined;
}

/** A hit, or all faults of its input. */
export type ReadHit = { readonly hit: Hit } | { readonly faults: readonly Fault[] };

/** Who sent a hit, and when; without faults. */
export type HitSender = Pick<Hit, 'sender' | 'prefetch' | 'ip' | 'userAgent' | 'language' | 'visitor' | 'time'>;

const MAX_URL_BYTES = 4_096;

/**
 * Checks the fields that any sender may send (tracker.md), and parses the addresses. An unusable referrer counts as none.
 * Lengths of names and strings are in code points.
 */
export function readHit(input: Omit<HitInput, 'time'>, from: HitSender): ReadHit {
  const faults: Fault[] = [];
  const { referrer, name, props, view } = input;
  const url = pageUrlOf(input.url);
  if (!(url instanceof URL)) faults.push(url);
  if (name !== undefined) faults.push(...nameFaults(name));
  if (props !== undefined) faults.push(...propsFaults(props, name));
  if (view !== undefined) faults.push(...rangeFaults('view', view, 0, MEASURE_LIMITS.view));
  if (faults.length > 0 || !(url instanceof URL)) return { faults };

  const hasReferrer = referrer !== undefined && referrer !== '' && !UNUSABLE_CHARACTER.test(referrer);
  // Every hit has the same fields in the same order: objects of many shapes are slow to make and to read.
  return {
    hit: {
      url,
      referrer: hasReferrer ? readReferrer(referrer) : undefined,
      name,
      props,
      automated: input.automated,
      sameDocument: input.sameDocument,
      prefetch: from.prefetch,
      ip: from.ip,
      userAgent: from.userAgent,
      language: from.language,
      visitor: from.visitor,
      time: from.time,
      view: view || undefined,
      sender: from.sender,
    },
  };
}

function pageUrlOf(text: string | undefined): URL | Fault {
  if (text === undefined || text === '') {
    return {
      field: 'url',
      code: 'required',
      ...inWords(({ faults }) => faults.hits.noUrl, 'The address of the page is required.'),
    };
  }
  if (Buffer.byteLength(text) > MAX_URL_BYTES) {
    return { field: 'url', code: 'too_long', ...inWords(({ faults }) => faults.hits.longUrl(MAX_URL_BYTES)) };
  }
  const isAbsolute = /^https?:\/\//i.test(text) && !UNUSABLE_CHARACTER.test(text);
  const url = isAbsolute ? readWebUrl(text) : undefined;
  return url ?? { field: 'url', code: 'invalid_url', ...inWords(({ faults }) => faults.hits.url) };
}

/** The faults of a number that must be whole and within bounds. */
export function rangeFaults(field: string, value: number, least: number, most: number): Fault[] {
  if (Number.isInteger(value) && value >= least && value <= most) return [];
  return [{ field, code: 'not_allowed', ...inWords(({ faults }) => faults.wholeNumber(least, most)) }];
}

function nameFaults(name: string): Fault[] {
  if (name === '' || isLonger(name, HIT_LIMITS.name)) {
    const code = name === '' ? 'required' : 'too_long';
    const detail = `The name of an event must have 1 to ${HIT_LIMITS.name} characters.`;
    return [{ field: 'name', code, ...inWords(({ faults }) => faults.definitions.event(HIT_LIMITS.name), detail) }];
  }
  if (!/[\p{Cc}\p{Cs}]/u.test(name)) return [];
  const detail = 'The name of an event must not contain a control character or a lone surrogate.';
  const text = inWords(({ faults }) => faults.definitions.event(HIT_LIMITS.name), detail);
  return [{ field: 'name', code: 'invalid_name', ...text }];
}

function propsFaults(props: Readonly<Record<string, PropertyValue>>, name: string | undefined): Fault[] {
  if (name === undefined) {
    return [{ field: 'props', code: 'not_allowed', detail: 'Only events have properties: send a "name" too.' }];
  }
  const entries = Object.entries(props);
  if (entries.length > HIT_LIMITS.props) {
    return [{ field: 'props', code: 'too_many', detail: `An event must have at most ${HIT_LIMITS.props} properties.` }];
  }
  return entries.flatMap(([key, value]) => propFaults(`props.${echoedName(key)}`, key, value));
}

function propFaults(field: string, key: string, value: PropertyValue): Fault[] {
  const faults: Fault[] = [];
  if (isLonger(key, HIT_LIMITS.propName)) {
    const detail = `The name of a property must have at most ${HIT_LIMITS.propName} characters.`;
    faults.push({ field, code: 'too_long', detail });
  }
  if (typeof value === 'string' && isLonger(value, HIT_LIMITS.propText)) {
    const detail = `The text of a property must have at most ${HIT_LIMITS.propText} characters.`;
    faults.push({ field, code: 'too_long', detail });
  }
  if (UNUSABLE_CHARACTER.test(key) || (typeof value === 'string' && UNUSABLE_CHARACTER.test(value))) {
    const detail = 'A property must not contain a NUL or a lone surrogate.';
    faults.push({ field, code: 'not_allowed', detail });
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    faults.push({ field, code: 'not_allowed', detail: 'The number is too large.' });
  }
  return faults;
}

/** Counts code points only if the number of code units does not decide it. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}
