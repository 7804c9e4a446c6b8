import { SIGN_IN } from './paths.ts';

const MAX_LENGTH = 2_000;
/** Any origin: only the path and the query of an address are used. */
const BASE = 'http://host.invalid';

/** The address of the sign-in form that leads on to an address of this site: a path, with a query or not. */
export function signInPath(to: string): string {
  return `${SIGN_IN}?${new URLSearchParams({ to })}`;
}

/** The address of this site that a query or a form says to lead on to; `undefined` if it may be of another site. */
export function readNextPath(to = ''): string | undefined {
  if (to.length > MAX_LENGTH || !to.startsWith('/') || !URL.canParse(to, BASE)) return undefined;
  const { origin, pathname, search } = new URL(to, BASE);
  // `//other.example` is an address of another site, also where it is what remains of `/.//other.example`.
  return origin === BASE && !pathname.startsWith('//') ? pathname + search : undefined;
}
