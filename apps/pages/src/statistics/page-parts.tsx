import { PERIOD_NAMES, type PeriodName } from '@hitherto/domain/calendar';
import { formatFullDay, formatPeriodSeenOn } from '@hitherto/domain/format';
import type { FooterView } from './read-view.ts';
import { hrefOf, parametersOf, type RejectedDays, type Selection } from './selection.ts';

const NAMES: Readonly<Record<PeriodName, string>> = {
  today: 'Today',
  yesterday: 'Yesterday',
  '7d': '7 days',
  '28d': '28 days',
  month: 'Month',
  '12m': '12 months',
};

interface PeriodChoiceProps {
  readonly path: string;
  readonly selection: Selection;
  /** The days that were typed, if they cannot be shown. */
  readonly rejectedDays: RejectedDays | undefined;
  readonly today: string;
}

/** Links to the named periods, and a form for other days. */
export function PeriodChoice(props: PeriodChoiceProps) {
  const { path, selection } = props;
  return (
    <nav class="periods" aria-label="Period">
      {PERIOD_NAMES.map((period) => (
        <a
          key={period}
          href={hrefOf(path, { ...selection, period })}
          aria-current={period === selection.period ? 'true' : undefined}
        >
          {NAMES[period]}
        </a>
      ))}
      <OtherDays {...props} />
    </nav>
  );
}

function OtherDays({ path, selection, rejectedDays, today }: PeriodChoiceProps) {
  const kept = [...parametersOf({ ...selection, period: '28d' })];
  const isChosen = selection.period === undefined;
  const { from, to } = rejectedDays ?? selection;
  const describedBy = (field: string) =>
    rejectedDays?.fault.field === field ? ({ 'aria-invalid': 'true', 'aria-describedby': 'days-fault' } as const) : {};
  return (
    <details class="menu other-days" open={rejectedDays !== undefined} name="menu">
      <summary class={isChosen ? 'chosen' : undefined}>
        {isChosen ? formatPeriodSeenOn(today, selection.from, selection.to) : 'Other days'}
      </summary>
      <form method="get" action={path}>
        {kept.map(([name, value]) => (
          <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
        ))}
        <label>
          From <input type="date" name="from" value={from} max={today} required {...describedBy('from')} />
        </label>
        <label>
          To <input type="date" name="to" value={to} required {...describedBy('to')} />
        </label>
        {rejectedDays !== undefined && (
          <p class="fault" id="days-fault" role="alert">
            {rejectedDays.fault.detail}
          </p>
        )}
        <button type="submit">Show</button>
      </form>
    </details>
  );
}

/** Says that only the visits of a segment are shown. */
export function Within({ segment }: { readonly segment: string }) {
  return (
    <p class="within">
      Only visits of the segment{' '}
      <strong>
        <bdi>{segment}</bdi>
      </strong>
    </p>
  );
}

/** The footer: notes on the meaning of the numbers, and on data that is not kept (counting.md and pages.md). */
export function Footer({ footer: { timeZone, excludesBots, firstDay } }: { readonly footer: FooterView }) {
  return (
    <footer class="notes">
      <p>
        A visitor is one device on one day, so someone who comes on two days counts twice. A visit ends after 30 minutes
        without a hit. A bounce is a visit with one pageview and no event. Days begin at midnight in {timeZone}. Known
        bots are {excludesBots ? 'not counted' : 'counted too'}. Counting sets no cookies and stores no IP addresses of
        visitors.
        {firstDay !== undefined && ` Counted since ${formatFullDay(firstDay)}.`}
      </p>
    </footer>
  );
}
