import { fitName, fitProps } from '@hitherto/domain/hits';
import { HttpProblem } from '@hitherto/http';
import type { ForeignHit } from './collect-foreign.ts';
import { membersOf, stringOf, timeOf } from './raw-bodies.ts';

const TYPES = ['event', 'identify', 'performance', 'error', 'engagement'];
/** The most characters of the strings that Umami bounds. */
const LIMITS = { hostname: 100, language: 35, screen: 11, name: 50, tag: 50 } as const;
const STRINGS = ['website', 'url', 'referrer', 'hostname', 'title', 'language', 'screen', 'name', 'tag', 'id'] as const;
const MAX_DEPTH = 5;

/**
 * A hit as trackers of Umami send it. Everything but events is of no use here, and only its website is checked. The session,
 * the distinct id and the screen are not read.
 *
 * @throws HttpProblem `bad_request` for bodies that Umami rejects too
 */
export function readUmamiHit(body: unknown): ForeignHit & { readonly isCounted: boolean } {
  const { type, payload } = membersOf(body);
  if (typeof type !== 'string' || !TYPES.includes(type)) throw rejection('type');
  const sent = membersOf(payload);
  for (const field of STRINGS) {
    const value = sent[field] ?? '';
    if (typeof value !== 'string' || value.length > (LIMITS[field as keyof typeof LIMITS] ?? Infinity)) {
      throw rejection(field);
    }
  }
  const website = stringOf(sent.website);
  if (website === undefined) throw rejection('website');
  const url = stringOf(sent.url);
  // Only scripts that send a path escape it, and the page before, once more.
  const unescaped = url?.startsWith('/') ? decodedOnce : (text: string) => text;
  const referrer = stringOf(sent.referrer);
  const name = stringOf(sent.name);
  const tag = stringOf(sent.tag);
  const tagged = tag === undefined ? {} : { tag };
  // First, because only the first properties are kept, and last, because the tag replaces data of its name.
  const props = { ...tagged, ...flattened(membersOf(sent.data)), ...tagged };
  return {
    isCounted: type === 'event',
    website,
    url: url && unescaped(url),
    host: stringOf(sent.hostname),
    event: {
      referrer: referrerOf(referrer && unescaped(referrer), stringOf(sent.hostname)),
      // Only our own script in the place of Umami's says these two.
      ...(sent.automated === true ? { automated: true } : {}),
      ...(sent.same_document === true ? { sameDocument: true } : {}),
      ...(name === undefined ? {} : { name: fitName(name), props: fitProps(props) }),
    },
    claims: {
      ip: stringOf(sent.ip),
      userAgent: stringOf(sent.userAgent),
      language: stringOf(sent.language),
      time: timeOf(stringOf(sent.timestamp)),
    },
  };
}

function rejection(field: string): HttpProblem {
  return new HttpProblem('bad_request', `The field "${field}" is missing or not valid.`);
}

/** The string before Umami's script escaped it with `encodeURI`; one that cannot be such is unchanged. */
function decodedOnce(escaped: string): string {
  try {
    return decodeURI(escaped);
  } catch {
    return escaped;
  }
}

/** Umami sends the page before as a path. */
function referrerOf(referrer: string | undefined, host: string | undefined): string | undefined {
  return referrer?.startsWith('/') && host !== undefined ? `https://${host}${referrer}` : referrer;
}

/** The fields of nested objects under their path, as Umami names them: `cart.total`. */
function flattened(data: Readonly<Record<string, unknown>>, prefix = '', depth = 1): Record<string, unknown> {
  const flat: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(data)) {
    const inner = membersOf(value);
    if (Object.keys(inner).length > 0 && depth < MAX_DEPTH) {
      Object.assign(flat, flattened(inner, `${prefix}${name}.`, depth + 1));
    } else Object.assign(flat, { [`${prefix}${name}`]: value });
  }
  return flat;
}
