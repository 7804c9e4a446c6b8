import { partsOfPattern } from '@hitherto/domain/visits';

/** A pattern of `like` in SQL. */
export function likePattern(pattern: string): string {
  const escaped = (literal: string) => literal.replaceAll(/[\\%_]/g, '\\$&');
  return partsOfPattern(pattern).map(escaped).join('%');
}
