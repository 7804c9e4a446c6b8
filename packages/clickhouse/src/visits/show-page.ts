import { foldAscii, showRulesOf } from '@hitherto/domain/visits';
import { anyOf, join, type Sql, sql } from '../connection/sql.ts';
import { likePattern } from './like-pattern.ts';

/** The expression of the page that is shown for a stored one. */
export type ShowPage = (page: Sql) => Sql;

/** Page rules of a website (`compilePageRules` in the domain); nothing without any. */
export function showPageBy(pageRules: readonly string[]): ShowPage | undefined {
  if (pageRules.length === 0) return undefined;
  const rules = showRulesOf(pageRules);
  return (page) => {
    const cases = rules.map((rule) => {
      if ('like' in rule) return sql`${page} like ${likePattern(rule.like)}, ${rule.becomes}`;
      const without = withoutParameters(page, rule.without);
      return sql`${without} != ${page}, ${without}`;
    });
    // An empty string stands for no page.
    return sql`multiIf(${page} = '', '', ${join(cases)}, toString(${page}))`;
  };
}

/** The page without parameters, in its path and in its route after a "#". */
function withoutParameters(
  page: Sql,
  { names, prefixes }: { names: readonly string[]; prefixes: readonly string[] },
): Sql {
  const name = sql`lower(substringIndex(parameter, '=', 1))`;
  const isRemoved = anyOf([
    ...(names.length === 0 ? [] : [sql`${name} in (${join(names.map(foldAscii))})`]),
    ...prefixes.map((prefix) => sql`startsWith(${name}, ${prefix})`),
  ]);
  const query = sql`substring(part, position(part, '?') + 1)`;
  const left = sql`arrayStringConcat(arrayFilter(parameter -> not ${isRemoved}, splitByChar('&', ${query})), '&')`;
  const path = sql`substringIndex(part, '?', 1)`;
  const shown = sql`if(position(part, '?') = 0, part, concat(${path}, if(${left} = '', '', concat('?', ${left}))))`;
  return sql`arrayStringConcat(arrayMap(part -> ${shown}, splitByChar('#', toString(${page}))), '#')`;
}
