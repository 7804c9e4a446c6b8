import { compilePageRules } from '@hitherto/domain/visits';
import { codeOfPage, isPageview, once, placeOf, remembered, type VisitColumns } from './visit-columns.ts';

/** Distinct pages as they are shown, and the place there of each stored one. */
export interface ShownPages {
  /** The first one is as it was: in columns, no page. */
  readonly pages: readonly (string | null)[];
  readonly places: Uint32Array;
}

/** @param pageRules the rules of the website */
export function shownPages(stored: readonly (string | null)[], pageRules: readonly string[]): ShownPages {
  const show = compilePageRules(pageRules);
  const placeOfPage = new Map<string | null, number>();
  const places = Uint32Array.from(stored, (page) => {
    const shown = page === null ? null : show(page);
    return remembered(placeOfPage, shown, () => placeOfPage.size);
  });
  return { pages: [...placeOfPage.keys()], places };
}

/** What was shown last of visits: several questions follow one another. */
const known = new WeakMap<VisitColumns, { readonly key: string; readonly shown: VisitColumns }>();

/** Visits with the pages that the rules of their website show (`showPages` in the domain). */
export function showPages(visits: VisitColumns, pageRules: readonly string[]): VisitColumns {
  if (pageRules.length === 0) return visits;
  const key = pageRules.join('\n');
  const last = known.get(visits);
  if (last?.key === key) return last.shown;
  const shownOnce = once(() => shownPages(visits.pages(), pageRules));
  const hits = once(() => {
    const { places } = shownOnce();
    return visits.numbers('hits').map((code) => (isPageview(code) ? codeOfPage(places[placeOf(code)] ?? 0) : code));
  });
  const shown: VisitColumns = {
    ...visits,
    numbers: (name) => (name === 'hits' ? hits() : visits.numbers(name)),
    pages: () => shownOnce().pages,
    stored: visits,
  };
  known.set(visits, { key, shown });
  return shown;
}
