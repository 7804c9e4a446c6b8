import { parsePageRule } from '../websites/page-rules.ts';
import { compilePattern, foldAscii } from './rules.ts';
import type { Visit } from './visits.ts';

/** The page that stands for a stored one. */
export type ShowPage = (page: string) => string;

/** Parameters, as names and the beginnings of names, in the spellings that stored pages can have; A to Z are folded. */
export interface RemovedParams {
  readonly names: readonly string[];
  readonly prefixes: readonly string[];
}

/** A rule that shows pages in another way, as engines need it. */
export type ShowRule = { readonly like: string; readonly becomes: string } | { readonly without: RemovedParams };

/** The page rules of a website (`readPageRule`), in order. */
export function showRulesOf(pageRules: readonly string[]): readonly ShowRule[] {
  return pageRules.map(parsePageRule).map((rule) => {
    if ('like' in rule) return rule;
    const { excludedParams } = rule;
    const prefixes = excludedParams.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
    const names = excludedParams.filter((name) => !name.endsWith('*'));
    return { without: { names: names.flatMap(spellingsOf), prefixes: prefixes.flatMap(spellingsOf) } };
  });
}

function spellingsOf(name: string): readonly string[] {
  return [...new Set([name, encodeURIComponent(name)].map(foldAscii))];
}

/** Compiles page rules: the first one that changes a page shows it. Engines are held to this. */
export function compilePageRules(pageRules: readonly string[]): ShowPage {
  const compiled = showRulesOf(pageRules).map(compileRule);
  return (page) => {
    for (const show of compiled) {
      const shown = show(page);
      if (shown !== undefined) return shown;
    }
    return page;
  };
}

/** The page that a rule shows; `undefined` if it does not fit. */
function compileRule(rule: ShowRule): (page: string) => string | undefined {
  if ('like' in rule) {
    const matches = compilePattern(rule.like);
    return (page) => (matches(page) ? rule.becomes : undefined);
  }
  const { names, prefixes } = rule.without;
  const isRemoved = (parameter: string): boolean => {
    const name = foldAscii(parameter.replace(/=.*$/s, ''));
    return names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
  };
  return (page) => {
    // A path, or a route after a "#".
    const shown = page.split('#').map((part) => withoutParameters(part, isRemoved));
    return shown.join('#') === page ? undefined : shown.join('#');
  };
}

function withoutParameters(part: string, isRemoved: (parameter: string) => boolean): string {
  const query = part.indexOf('?');
  if (query === -1) return part;
  const left = part
    .slice(query + 1)
    .split('&')
    .filter((parameter) => !isRemoved(parameter))
    .join('&');
  return left === '' ? part.slice(0, query) : `${part.slice(0, query)}?${left}`;
}

/** Visits with the pages that are shown. What was counted by stored pages stays. */
export function showPages(visits: readonly Visit[], pageRules: readonly string[]): readonly Visit[] {
  if (pageRules.length === 0) return visits;
  const show = compilePageRules(pageRules);
  return visits.map((visit) => {
    const hits = visit.hits.map((hit) => ({ ...hit, page: show(hit.page) }));
    const end = (page: string | null) => (page === null ? null : show(page));
    const first = { ...visit.first, page: show(visit.first.page) };
    return { ...visit, hits, first, entryPage: end(visit.entryPage), exitPage: end(visit.exitPage), stored: visit };
  });
}
