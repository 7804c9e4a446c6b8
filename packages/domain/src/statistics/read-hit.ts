import type { Fault } from '../errors.ts';
import type { PropertyValue } from './hit.ts';
import { parseWebUrl } from './page-url.ts';

/** What a sender says of a hit, of the right types and not yet checked. */
export interface HitInput {
  readonly url?: string;
  readonly referrer?: string;
  readonly name?: string;
  readonly props?: Readonly<Record<string, PropertyValue>>;
  readonly automated?: boolean;
}

/** The checked members of a hit that any sender may say. */
export interface HitMembers {
  readonly url: string;
  readonly referrer?: string;
  readonly name?: string;
  readonly props?: Readonly<Record<string, PropertyValue>>;
  readonly automated?: boolean;
}

/** The members of a hit, or everything that is wrong with them. */
export type ReadHit = { readonly members: HitMembers } | { readonly faults: readonly Fault[] };

const MAX_URL_BYTES = 4_096;
const MAX_NAME_LENGTH = 64;
const MAX_PROPS = 10;
const MAX_PROP_NAME_LENGTH = 40;
const MAX_PROP_TEXT_LENGTH = 200;

/** Text that PostgreSQL cannot keep. */
const UNUSABLE = /[\0\p{Cs}]/u;

/**
 * Checks what a sender says of a hit (statistics.md, section 2). An unusable referrer counts as none. Lengths of names and
 * texts are in code points.
 */
export function readHit(input: HitInput): ReadHit {
  const faults: Fault[] = [];
  const { url, referrer, name, props, automated } = input;
  const urlFault = urlFaultOf(url);
  if (urlFault !== undefined) faults.push(urlFault);
  if (name !== undefined) faults.push(...nameFaults(name));
  if (props !== undefined) faults.push(...propsFaults(props, name));
  if (faults.length > 0 || url === undefined) return { faults };

  const members: { -readonly [Member in keyof HitMembers]: HitMembers[Member] } = { url };
  if (referrer !== undefined && referrer !== '' && !UNUSABLE.test(referrer)) members.referrer = referrer;
  if (name !== undefined) members.name = name;
  if (props !== undefined) members.props = props;
  if (automated !== undefined) members.automated = automated;
  return { members };
}

function urlFaultOf(url: string | undefined): Fault | undefined {
  if (url === undefined || url === '') {
    return { field: 'url', code: 'required', detail: 'The address of the page is required.' };
  }
  if (Buffer.byteLength(url) > MAX_URL_BYTES) {
    return { field: 'url', code: 'too_long', detail: `An address has at most ${MAX_URL_BYTES} bytes.` };
  }
  if (/^https?:\/\//i.test(url) && !UNUSABLE.test(url) && parseWebUrl(url) !== undefined) return undefined;
  return { field: 'url', code: 'invalid_url', detail: 'The address is absolute, http or https.' };
}

function nameFaults(name: string): Fault[] {
  if (name === '' || isLonger(name, MAX_NAME_LENGTH)) {
    const code = name === '' ? 'required' : 'too_long';
    return [{ field: 'name', code, detail: `The name of an event has 1 to ${MAX_NAME_LENGTH} characters.` }];
  }
  if (!/[\p{Cc}\p{Cs}]/u.test(name)) return [];
  const detail = 'The name of an event has no control character and no half of a character.';
  return [{ field: 'name', code: 'invalid_name', detail }];
}

function propsFaults(props: Readonly<Record<string, PropertyValue>>, name: string | undefined): Fault[] {
  if (name === undefined) {
    return [{ field: 'props', code: 'not_allowed', detail: 'Only an event has properties: send a "name" with them.' }];
  }
  const entries = Object.entries(props);
  if (entries.length > MAX_PROPS) {
    return [{ field: 'props', code: 'too_many', detail: `An event has at most ${MAX_PROPS} properties.` }];
  }
  return entries.flatMap(([key, value]) => propFaults(`props.${key}`, key, value));
}

function propFaults(field: string, key: string, value: PropertyValue): Fault[] {
  const faults: Fault[] = [];
  if (isLonger(key, MAX_PROP_NAME_LENGTH)) {
    const detail = `The name of a property has at most ${MAX_PROP_NAME_LENGTH} characters.`;
    faults.push({ field, code: 'too_long', detail });
  }
  if (typeof value === 'string' && isLonger(value, MAX_PROP_TEXT_LENGTH)) {
    const detail = `The text of a property has at most ${MAX_PROP_TEXT_LENGTH} characters.`;
    faults.push({ field, code: 'too_long', detail });
  }
  if (UNUSABLE.test(key) || (typeof value === 'string' && UNUSABLE.test(value))) {
    const detail = 'A property has no NUL and no half of a character.';
    faults.push({ field, code: 'not_allowed', detail });
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    faults.push({ field, code: 'not_allowed', detail: 'The number is too large.' });
  }
  return faults;
}

/** Counts code points only where the number of code units leaves it open. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}
