import {
  ADD_YOURSELF,
  HOME,
  INVITATIONS,
  peoplePath,
  sharePath,
  statisticsPath,
  WEBHOOKS,
  WEBSITES,
  YOU,
} from './paths.ts';

const MAX_LENGTH = 2_000;
/** Any origin: only the path and the query of an address are used. */
const BASE = 'http://host.invalid';

/** What the addresses of pages begin with that a sign-in can lead on to. */
const PAGES: ReadonlySet<string> = new Set([
  '',
  ...[statisticsPath(''), sharePath(''), WEBSITES, WEBHOOKS, YOU, ADD_YOURSELF, INVITATIONS, peoplePath('')].map(
    firstPart,
  ),
]);

/** The address of the sign-in form that leads on to an address of this site: a path, with a query or not. */
export function signInPath(next: string | undefined): string {
  return leadingTo(next, HOME);
}

/** A page that is a part of signing in, after which an address of this site is shown; `undefined` stands for the first page. */
export function leadingTo(next: string | undefined, page: string): string {
  return next === undefined || next === HOME ? page : `${page}?${new URLSearchParams({ next })}`;
}

/** The address of this site that a query or a form says to lead on to; `undefined` if it may be of another site. */
export function readNextPath(to: string | null = ''): string | undefined {
  if (to === null || to.length > MAX_LENGTH || !to.startsWith('/') || !URL.canParse(to, BASE)) return undefined;
  const { origin, pathname, search } = new URL(to, BASE);
  // `//other.example` is an address of another site, also where it is what remains of `/.//other.example`.
  return origin === BASE && !pathname.startsWith('//') && PAGES.has(firstPart(pathname))
    ? pathname + search
    : undefined;
}

function firstPart(path: string): string {
  return path.split('/')[1] ?? '';
}
