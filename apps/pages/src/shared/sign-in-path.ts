import {
  ADD_YOURSELF,
  INVITATIONS,
  peoplePath,
  SIGN_IN,
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
export function signInPath(to: string): string {
  return `${SIGN_IN}?${new URLSearchParams({ to })}`;
}

/** The address of this site that a query or a form says to lead on to; `undefined` if it may be of another site. */
export function readNextPath(to = ''): string | undefined {
  if (to.length > MAX_LENGTH || !to.startsWith('/') || !URL.canParse(to, BASE)) return undefined;
  const { origin, pathname, search } = new URL(to, BASE);
  // `//other.example` is an address of another site, also where it is what remains of `/.//other.example`.
  return origin === BASE && !pathname.startsWith('//') && PAGES.has(firstPart(pathname))
    ? pathname + search
    : undefined;
}

function firstPart(path: string): string {
  return path.split('/')[1] ?? '';
}
