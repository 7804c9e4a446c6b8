import { inWords } from '../base/errors.ts';
import type { Line } from './lines.ts';

/** The most aliases of a website. */
export const MAX_ALIASES = 20;

/** The most characters of an alias. */
export const MAX_ALIAS_LENGTH = 255;

/** An alias of a website (api.md, "Fields", `aliases`), which is stored as sent. */
export function readAlias(alias: string): Line {
  if (alias.length > MAX_ALIAS_LENGTH) {
    return { fault: { code: 'too_long', ...inWords(({ faults }) => faults.lines.long(MAX_ALIAS_LENGTH)) } };
  }
  if (!/^[!-~]+$/.test(alias)) {
    return { fault: { code: 'invalid_name', ...inWords(({ faults }) => faults.lines.alias) } };
  }
  return { entry: alias };
}
