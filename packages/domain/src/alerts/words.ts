import type { Locale } from '@hitherto/words';
import { formatAddress, formatValue } from '../format/values.ts';
import { DROP_RULES } from '../hits/count-hit.ts';
import type { NoticeMail } from '../reports/mailer.ts';
import type { AlertMail } from './alert-mail.ts';
import type { DueAlert } from './alert-repository.ts';
import type { FiredAlert, FiredValue } from './fired-alert.ts';
import type { Measured } from './measure.ts';

// All that an alert says to people who get it: in mails, in chats, and as the text of webhooks.

const NAMES = { spike: 'Spike', drop: 'Drop', silence: 'Silence', goal: 'Goal', dropped: 'Hits not counted' } as const;

/** What has happened, and what is usual: the sentences of every message about the alert. */
export function textOf({ alert, website }: DueAlert, { number, subject }: Measured, usual: number | undefined): string {
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

/** The mail about an alert that has fired. */
export function mailOf(locale: Locale, { at, website, alert }: AlertMail, to: string, messageId: string): NoticeMail {
  const address = formatAddress(website.url);
  const listOf = (title: string, dimension: 'source' | 'page', values: readonly FiredValue[]) => ({
    title,
    rows: values.map(({ value, visitors }) => ({
      value: formatValue(locale, dimension, value),
      count: locale.format.count(visitors),
    })),
  });
  const lists = [
    listOf('Top sources today by visitors', 'source', alert.sources),
    listOf('Top pages today by visitors', 'page', alert.pages),
  ];
  return {
    to,
    locale,
    subject: `${NAMES[alert.rule]}: ${address}`,
    title: address,
    paragraphs: [alert.text, 'You get this mail because of an alert that is set for this website.'],
    lists: lists.filter(({ rows }) => rows.length > 0),
    link: alert.pageUrl === null ? undefined : { label: 'Show the statistics', url: alert.pageUrl },
    messageId,
    date: new Date(at),
  };
}

/**
 * The lines about an alert in a chat.
 *
 * @param show how a string from outside is written, so that it is shown as it is
 */
export function chatTextOf({ text, sources, pages, pageUrl }: FiredAlert, show: (text: string) => string): string {
  const listOf = (title: string, values: readonly FiredValue[], none: string) => {
    const items = values.map(({ value, visitors }) => `${value === null ? none : show(value)} (${visitors})`);
    return items.length === 0 ? [] : [`${title}: ${items.join(', ')}`];
  };
  const lists = [...listOf('Top sources', sources, 'Direct'), ...listOf('Top pages', pages, 'None')];
  return [show(text), ...lists, ...(pageUrl === null ? [] : [pageUrl])].join('\n');
}

function reasonOf(subject: string | undefined): string {
  const rule = Object.entries(DROP_RULES).find(([reason]) => reason === subject);
  return rule === undefined ? '' : `, most because of ${rule[0]}: ${rule[1].meaning.replace(/\.$/, '')}`;
}

/** To one decimal. */
export function rounded(number: number): number {
  return Math.round(number * 10) / 10;
}

function formatted(number: number): string {
  return number.toLocaleString('en');
}
