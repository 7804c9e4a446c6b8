import { createHash, createHmac } from 'node:crypto';
import { Type } from '@sinclair/typebox';

// Pages of lists: their parameters, links and cursors.

export const PER_PAGE = { default: 10, min: 10, max: 100 } as const;

/**
 * The parameters of a page.
 *
 * @param things the name of the list's items, for the OpenAPI document
 * @param same the parameters that a cursor is bound to
 */
export const pagingParameters = (things: string, same: string) => ({
  per_page: Type.Optional(
    Type.Integer({
      minimum: PER_PAGE.min,
      maximum: PER_PAGE.max,
      default: PER_PAGE.default,
      description: `${things} per page: a whole number from ${PER_PAGE.min} to ${PER_PAGE.max}.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 16_384,
      description: `Opaque: take it from "links", and send it unchanged, with the same ${same}.`,
    }),
  ),
});

const link = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });

/** The schema of the links in a response. */
export const Links = Type.Object({
  next: link('A relative reference to the next page.'),
  prev: link('A relative reference to the page before.'),
});

/**
 * Proxies and clients reject responses with larger headers than they have room for, often 4 KiB in all; the same links are
 * in the body.
 */
const MAX_LINK_HEADER = 2_048;

/**
 * The links from a page to its neighbours, which keep the other parameters, and the `Link` header (RFC 8288) that says
 * the same, if there are links and it is not too long.
 *
 * @param encode makes a cursor of a position
 */
export function linksOf<Position>(
  path: string,
  parameters: Readonly<Record<string, string | number | readonly string[] | undefined>>,
  page: { readonly next: Position | undefined; readonly previous: Position | undefined },
  encode: (position: Position) => string,
) {
  const linkTo = (position: Position | undefined): string | null => {
    if (position === undefined) return null;
    const query = new URLSearchParams();
    for (const [name, values] of Object.entries({ ...parameters, cursor: encode(position) })) {
      for (const value of [values].flat()) if (value !== undefined) query.append(name, `${value}`);
    }
    // A path in a filter stays as short as it was sent.
    return `${path}?${query}`.replaceAll('%2F', '/');
  };
  const links = { next: linkTo(page.next), prev: linkTo(page.previous) };
  return { links, header: linkHeader(links) };
}

/** The `Link` header (RFC 8288) of links by their relation; `undefined` if there are none, or it would be too long. */
export function linkHeader(links: Readonly<Record<string, string | null>>): string | undefined {
  const header = Object.entries(links)
    .flatMap(([rel, target]) => (target === null ? [] : [`<${target}>; rel="${rel}"`]))
    .join(', ');
  return header === '' || header.length > MAX_LINK_HEADER ? undefined : header;
}

/**
 * A cursor (api.md, "List"): its content, and a hash keyed by the account's id, which no response reveals. Every
 * instance can therefore reject altered cursors and other accounts' cursors, without storing anything.
 */
export function signCursor(accountId: string, content: readonly unknown[]): string {
  const payload = Buffer.from(JSON.stringify(content));
  const mac = createHmac('sha256', accountId).update(payload).digest().subarray(0, 16);
  return Buffer.concat([mac, payload]).toString('base64url');
}

/** The contents of a cursor, unverified; empty if it is broken. It is genuine if {@link signCursor} makes the same one of it. */
export function readCursor(cursor: string): unknown[] {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').subarray(16).toString());
    return Array.isArray(content) ? content : [];
  } catch {
    return [];
  }
}

/** A short hash of the parameters that a cursor is bound to, because they can be long, and a cursor appears in urls and headers. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
