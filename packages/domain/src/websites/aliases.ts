import type { Line } from './lines.ts';

/** The most aliases of a website. */
export const MAX_ALIASES = 20;

/** The most characters of an alias. */
export const MAX_ALIAS_LENGTH = 255;

/** An alias of a website (api.md, "Fields", `aliases`), which is stored as sent. */
export function readAlias(alias: string): Line {
  if (alias.length > MAX_ALIAS_LENGTH) {
    return { fault: { code: 'too_long', detail: `is longer than ${MAX_ALIAS_LENGTH} characters.` } };
  }
  if (!/^[!-~]+$/.test(alias)) {
    const detail = 'contains a space or a character that is not printable ASCII, which an alias cannot contain.';
    return { fault: { code: 'invalid_name', detail } };
  }
  return { entry: alias };
}
