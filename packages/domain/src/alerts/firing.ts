import { ENGLISH } from '@hitherto/words';
import { dayOf, type TimeZone } from '../calendar/time-zone.ts';
import type { TopValue } from '../engine/statistics-repository.ts';
import type { DueAlert, Firing } from './alert-repository.ts';
import type { MeasureDependencies, Measured } from './measure.ts';
import { rounded, textOf } from './words.ts';

const TOP = 5;

interface FiringDependencies extends MeasureDependencies {
  readonly zone: TimeZone;
  readonly newId: () => string;
  readonly pageUrlOf: (websiteId: string) => string | undefined;
}

/** An alert that fires now, with its content. */
export async function makeFiring(deps: FiringDependencies, due: DueAlert, measured: Measured): Promise<Firing> {
  const { alert, accountId, website } = due;
  const at = deps.now();
  const day = dayOf(deps.zone, at);
  const query = { websiteId: website.id, from: day, to: day, filters: [] };
  const { values } = await deps.statistics.overview(query, ['source', 'page'], TOP);
  const usual = await measured.usual();
  const valuesOf = (rows: readonly TopValue[] = []) => rows.map(({ value, visitors }) => ({ value, visitors }));
  const fired = {
    id: alert.id,
    rule: alert.rule,
    number: rounded(measured.number),
    usual: usual === undefined ? null : rounded(usual),
    hours: alert.hours,
    subject: measured.subject ?? null,
    sources: valuesOf(values.get('source')?.rows),
    pages: valuesOf(values.get('page')?.rows),
    pageUrl: deps.pageUrlOf(website.id) ?? null,
  };
  const { id, url } = website;
  const text = textOf(ENGLISH, url, fired);
  const data = { website: { id, url }, alert: { ...fired, text } };
  return { id: deps.newId(), event: { type: 'alert.fired', at, data, accountId, websiteId: id } };
}
