import { dayOf, type TimeZone } from '../calendar/time-zone.ts';
import type { TopValue } from '../engine/statistics-repository.ts';
import { formatAddress } from '../format/values.ts';
import { DROP_RULES } from '../hits/count-hit.ts';
import type { DueAlert, Firing } from './alert-repository.ts';
import type { FiredAlert } from './fired-alert.ts';
import type { MeasureDependencies, Measured } from './measure.ts';

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
  const fired: FiredAlert = {
    id: alert.id,
    rule: alert.rule,
    text: textOf(due, measured, usual),
    number: rounded(measured.number),
    usual: usual === undefined ? null : rounded(usual),
    sources: valuesOf(values.get('source')?.rows),
    pages: valuesOf(values.get('page')?.rows),
    pageUrl: deps.pageUrlOf(website.id) ?? null,
  };
  const { id, url } = website;
  const data = { website: { id, url }, alert: fired };
  return { id: deps.newId(), event: { type: 'alert.fired', at, data, accountId, websiteId: id } };
}

function textOf({ alert, website }: DueAlert, { number, subject }: Measured, usual: number | undefined): string {
  const address = formatAddress(website.url);
  const count = (value: number, one: string, many: string) => `${formatted(value)} ${value === 1 ? one : many}`;
  const visitors = (value: number) => count(value, 'visitor', 'visitors');
  const conversions = (value: number) => count(value, 'conversion', 'conversions');
  const usually = (words: (value: number) => string) =>
    usual === undefined ? 'There is no usual number yet.' : words(rounded(usual));
  switch (alert.rule) {
    case 'spike':
      return `${address} has ${visitors(number)} right now. ${usually((value) => `The most within 5 minutes at this hour of the week was ${formatted(value)} in the last 4 weeks.`)}`;
    case 'drop':
      return `${address} has had ${visitors(number)} today so far. ${usually((value) => `By this time, it is usually ${formatted(value)} on this weekday.`)}`;
    case 'silence':
      return `${address} has had no hit for ${count(alert.hours ?? 0, 'hour', 'hours')}: is the tracker still there? ${usually((value) => `In these hours, it usually has ${visitors(value)}.`)}`;
    case 'goal':
      return `${address} has had ${conversions(number)} of “${subject}” today so far. ${usually((value) => `By this time, it is usually ${formatted(value)} on this weekday.`)}`;
    case 'dropped':
      return `Of the hits of ${address} in the last hour, ${formatted(rounded(number))} % were dropped${reasonOf(subject)}. ${usually((value) => `In the last 4 weeks, it was ${formatted(value)} %.`)}`;
  }
}

function reasonOf(subject: string | undefined): string {
  const rule = Object.entries(DROP_RULES).find(([reason]) => reason === subject);
  return rule === undefined ? '' : `, most because of ${rule[0]}: ${rule[1].meaning.replace(/\.$/, '')}`;
}

function rounded(number: number): number {
  return Math.round(number * 10) / 10;
}

function formatted(number: number): string {
  return number.toLocaleString('en');
}
