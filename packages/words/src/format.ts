import type { Words } from './en.ts';

/** A day as `2026-11-21`. */
type Day = string;

/** How a language writes numbers, dates and names. */
export interface Format {
  /** `41,950`. */
  readonly count: (count: number) => string;
  /** `950`, `1.5K`, `12M`: for axes, where space is short. */
  readonly shortCount: (count: number) => string;
  /** A share of 0 to 1 in percent, without the sign; only 0 itself is shown as 0. */
  readonly percent: (share: number) => string;
  /** A share of 0 to 1 as `38 %`. */
  readonly share: (share: number) => string;
  /** A conversion rate of 0 to 1 as `2.5 %`; only 0 itself is shown as 0. `–` if there is no rate. */
  readonly rate: (rate: number | null) => string;
  /** Seconds as `52 s`, `1 m 52 s`, `1 h 5 m`. */
  readonly duration: (seconds: number) => string;
  /** A decimal of any size as `−1,234.50`, and `1,234` if it is whole. */
  readonly decimal: (decimal: string) => string;
  /** `11 Nov`. */
  readonly day: (day: Day) => string;
  /** `11 Nov 2026`. */
  readonly dayOfYear: (day: Day) => string;
  /** `3 March 2026`. */
  readonly fullDay: (day: Day) => string;
  /** `Wed 11 Nov`. */
  readonly weekdayAndDay: (day: Day) => string;
  /** `Nov 2026`. */
  readonly month: (day: Day) => string;
  /** The name of a weekday, `Mon`, or `Monday`; 1 is Monday. */
  readonly weekday: (weekday: number, length?: 'short' | 'long') => string;
  /** `21 Nov`, `25 Oct to 21 Nov`, with years where they differ or `year` asks for them. */
  readonly period: (from: Day, to: Day, year?: boolean) => string;
  /** As {@link period}, with years unless all its days are in the year of `today`. */
  readonly periodSeenOn: (today: Day, from: Day, to: Day) => string;
  /** The name of a country, by its code; a code without a name is shown unchanged. */
  readonly region: (code: string) => string;
  /** The name of a language, by its code. */
  readonly language: (code: string) => string;
  /** `A, B and C`. */
  readonly list: (names: readonly string[]) => string;
}

/** @param tags those of the language's row in `LANGUAGE_TABLE` */
export function formatIn(tags: { readonly numbers: string; readonly dates: string }, words: Words['formats']): Format {
  const whole = new Intl.NumberFormat(tags.numbers);
  const short = new Intl.NumberFormat(tags.numbers, { notation: 'compact', maximumFractionDigits: 1 });
  const tenths = new Intl.NumberFormat(tags.numbers, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const point = tenths.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
  const count = (number: number) => whole.format(number);
  const share = (of: number) => words.percent(percent(of));

  const dates = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(tags.dates, { timeZone: 'UTC', ...options });
    return (day: Day) => format.format(new Date(`${day}T00:00:00Z`));
  };
  const day = dates({ day: 'numeric', month: 'short' });
  const dayOfYear = dates({ day: 'numeric', month: 'short', year: 'numeric' });
  const weekdays = { short: dates({ weekday: 'short' }), long: dates({ weekday: 'long' }) };
  const period = (from: Day, to: Day, year = yearOf(from) !== yearOf(to)) => {
    const last = year ? dayOfYear(to) : day(to);
    if (from === to) return last;
    return words.period(yearOf(from) === yearOf(to) ? day(from) : dayOfYear(from), last);
  };

  const names = (type: 'region' | 'language') => {
    const known = new Intl.DisplayNames(tags.numbers, { type, fallback: 'code' });
    return (code: string) => {
      try {
        return known.of(code) ?? code;
      } catch {
        // Not the form of a code: it is shown unchanged.
        return code;
      }
    };
  };
  const list = new Intl.ListFormat(tags.dates);

  return {
    count,
    shortCount: (number) => short.format(number),
    percent,
    share,
    rate: (rate) => {
      if (rate === null) return '–';
      if (rate === 0 || rate === 1) return share(rate);
      return words.percent(rate < 0.0005 ? `<${tenths.format(0.1)}` : tenths.format(rate * 100));
    },
    duration: (seconds) => {
      const rounded = Math.round(seconds);
      const { hours, minutes, seconds: unit } = words;
      if (rounded < 60) return `${rounded}\u00a0${unit}`;
      const wholeMinutes = Math.floor(rounded / 60);
      if (wholeMinutes < 60) return `${wholeMinutes}\u00a0${minutes} ${rounded % 60}\u00a0${unit}`;
      return `${count(Math.floor(wholeMinutes / 60))}\u00a0${hours} ${wholeMinutes % 60}\u00a0${minutes}`;
    },
    decimal: (decimal) => {
      const [, sign = '', digits = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(decimal) ?? [];
      const rest = /^0*$/.test(fraction) ? '' : `${point}${fraction}`;
      return `${sign && '\u2212'}${whole.format(BigInt(digits))}${rest}`;
    },
    day,
    dayOfYear,
    fullDay: dates({ day: 'numeric', month: 'long', year: 'numeric' }),
    weekdayAndDay: (of) => `${weekdays.short(of)} ${day(of)}`,
    month: dates({ month: 'short', year: 'numeric' }),
    // 1 January 2024 was a Monday.
    weekday: (weekday, length = 'short') => weekdays[length](`2024-01-0${weekday}`),
    period,
    periodSeenOn: (today, from, to) => period(from, to, yearOf(from) !== yearOf(today) || yearOf(to) !== yearOf(today)),
    region: names('region'),
    language: names('language'),
    list: (of) => list.format(of),
  };
}

function percent(share: number): string {
  // The binary form of a half, as in 0.575, may be just below it.
  const rounded = Math.round(Number((share * 100).toFixed(9)));
  return share > 0 && rounded === 0 ? '<1' : String(rounded);
}

function yearOf(day: Day): string {
  return day.slice(0, 4);
}
