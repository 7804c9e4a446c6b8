import { bySize, type Check } from './check.ts';
import { excludeParameter, parametersIn } from './page-parameters.ts';

const MIN_PAGES = 100;

export interface QueryNoise {
  readonly param: string;
  /** The page that has most addresses by it. */
  readonly page: string;
  readonly pages: number;
}

/** Many pages that differ in one query parameter only. */
export const queryNoise: Check<QueryNoise> = {
  find({ website, pages, days }) {
    const parametersOf = parametersIn(website);
    const counts = new Map<string, Map<string, number>>();
    for (const { value } of pages) {
      for (const { name, without } of parametersOf(value ?? '')) {
        const ofName = counts.get(name) ?? new Map<string, number>();
        ofName.set(without, (ofName.get(without) ?? 0) + 1);
        counts.set(name, ofName);
      }
    }
    return [...counts]
      .flatMap(([param, ofName]) => {
        const [page, number] = [...ofName].reduce((most, each) => (each[1] > most[1] ? each : most), ['', 0]);
        const since = days.at(-1) ?? '';
        return number < MIN_PAGES
          ? []
          : [{ subject: param, since, size: number, evidence: { param, page, pages: number } }];
      })
      .sort(bySize);
  },

  fix: ({ param }, website) => excludeParameter(param, website),
};
