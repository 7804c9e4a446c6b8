import { addDays, daysBetween, PERIOD_NAMES, type Period, type PeriodName } from '@hitherto/domain/calendar';
import { AppHeader } from '../shared/app-header.tsx';
import { BrandLine, useBrand } from '../shared/brand.tsx';
import type { Header } from '../shared/header.ts';
import { useLocale } from '../shared/locale.tsx';
import type { FooterView } from './read-view.ts';
import { hrefOf, parametersOf, type RejectedDays, type Selection } from './selection.ts';

interface PeriodChoiceProps {
  readonly path: string;
  readonly selection: Selection;
  /** The days that were typed, if they cannot be shown. */
  readonly rejectedDays: RejectedDays | undefined;
  readonly today: string;
}

interface PageHeadProps {
  readonly who: Header | undefined;
  readonly isEmbedded: boolean;
}

/** The head of a page: the way to other pages of whoever is signed in, or whose page it is. */
export function PageHead({ who, isEmbedded }: PageHeadProps) {
  const { name, logo } = useBrand();
  if (who !== undefined && !isEmbedded) return <AppHeader header={who} current="websites" />;
  if (isEmbedded && name === null && logo === null) return null;
  return (
    <header>
      <BrandLine isEmbedded={isEmbedded} />
    </header>
  );
}

/** The keys of periods. */
const KEYS: Readonly<Partial<Record<PeriodName, string>>> = { today: 'D', '7d': 'W', month: 'M', '12m': 'Y' };

/** Links to the named periods and to the days next to those chosen, and a form for other days. */
export function PeriodChoice(props: PeriodChoiceProps) {
  const { path, selection, today } = props;
  const { statistics } = useLocale().words;
  const { earlier, later } = neighbours(selection, today);
  return (
    <nav class="periods" aria-label={statistics.period}>
      {PERIOD_NAMES.map((period) => (
        <a
          key={period}
          aria-keyshortcuts={KEYS[period]}
          href={hrefOf(path, { ...selection, period })}
          aria-current={period === selection.period ? 'true' : undefined}
        >
          {statistics.periods[period]}
        </a>
      ))}
      <OtherDays {...props} />
      <a href={hrefOf(path, { ...selection, ...earlier, period: undefined })} aria-keyshortcuts="ArrowLeft">
        <span class="unseen">{statistics.earlier}</span>
        <Arrow points="M7 0v10L0 5z" />
      </a>
      {later !== undefined && (
        <a href={hrefOf(path, { ...selection, ...later, period: undefined })} aria-keyshortcuts="ArrowRight">
          <span class="unseen">{statistics.later}</span>
          <Arrow points="M0 0v10L7 5z" />
        </a>
      )}
    </nav>
  );
}

function Arrow({ points }: { readonly points: string }) {
  return (
    <svg viewBox="0 0 7 10" width="7" height="10" aria-hidden="true">
      <path d={points} fill="currentColor" />
    </svg>
  );
}

/** As many days before and after a period; none after one that reaches today. */
function neighbours(
  { from, to }: Period,
  today: string,
): { readonly earlier: Period; readonly later: Period | undefined } {
  const days = daysBetween(from, to);
  const last = addDays(to, days) < today ? addDays(to, days) : today;
  const later = to < today ? { from: addDays(last, 1 - days), to: last } : undefined;
  return { earlier: { from: addDays(from, -days), to: addDays(from, -1) }, later };
}

function OtherDays({ path, selection, rejectedDays, today }: PeriodChoiceProps) {
  const { words, format } = useLocale();
  const { statistics } = words;
  const kept = [...parametersOf({ ...selection, period: '28d' })];
  const isChosen = selection.period === undefined;
  const { from, to } = rejectedDays ?? selection;
  const describedBy = (field: string) =>
    rejectedDays?.fault.field === field ? ({ 'aria-invalid': 'true', 'aria-describedby': 'days-fault' } as const) : {};
  return (
    <details class="menu other-days" open={rejectedDays !== undefined} name="menu">
      <summary class={isChosen ? 'chosen' : undefined}>
        {isChosen ? format.periodSeenOn(today, selection.from, selection.to) : statistics.otherDays}
      </summary>
      <form method="get" action={path}>
        {kept.map(([name, value]) => (
          <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
        ))}
        <label>
          {statistics.from} <input type="date" name="from" value={from} max={today} required {...describedBy('from')} />
        </label>
        <label>
          {statistics.to} <input type="date" name="to" value={to} required {...describedBy('to')} />
        </label>
        {rejectedDays !== undefined && (
          <p class="fault" id="days-fault" role="alert">
            {rejectedDays.fault.detail}
          </p>
        )}
        <button type="submit">{statistics.show}</button>
      </form>
    </details>
  );
}

/** Says that only the visits of a segment are shown. */
export function Within({ segment }: { readonly segment: string }) {
  const { within } = useLocale().words.statistics;
  return (
    <p class="within">
      {within(
        <strong>
          <bdi>{segment}</bdi>
        </strong>,
      )}
    </p>
  );
}

/** The footer: notes on the meaning of the numbers, and on data that is not kept (counting.md and pages.md). */
export function Footer({ footer: { timeZone, excludesBots, firstDay } }: { readonly footer: FooterView }) {
  const { words, format } = useLocale();
  const { statistics } = words;
  return (
    <footer class="notes">
      <p>
        {statistics.footer(timeZone, excludesBots)}
        {firstDay !== undefined && ` ${statistics.countedSince(format.fullDay(firstDay))}`}
      </p>
      {/* Keys need a script, which shows this. */}
      <label class="keys" data-keys hidden>
        <input type="checkbox" /> {statistics.keys}
      </label>
    </footer>
  );
}
