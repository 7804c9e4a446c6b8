import type { Locale } from '@hitherto/words';
import { meaningOf } from '../base/stored-text.ts';
import type { Day } from '../calendar/days.ts';
import { formatAddress, formatValue } from '../format/values.ts';
import type { NoticeMail } from '../reports/mailer.ts';
import type { AlertMail } from './alert-mail.ts';
import type { FiredAlert, FiredValue } from './fired-alert.ts';

// All that an alert says to people who get it: in mails, in chats, and as the text of webhooks.

/** What has happened, and what is usual: the sentences of every message about the alert. */
export function textOf(
  { words, format }: Locale,
  url: string,
  { rule, number, usual, hours, subject }: Omit<FiredAlert, 'text'>,
): string {
  const { alerts } = words;
  const website = formatAddress(url);
  const percent = (value: number) => `${format.count(value)} %`;
  const usually = (sentence: (value: number) => string) => (usual === null ? alerts.noUsual : sentence(usual));
  const usualToday = () => usually((value) => alerts.usualToday(format.count(value)));
  switch (rule) {
    case 'spike':
      return `${alerts.spike(website, number)} ${usually((value) => alerts.spikeUsual(format.count(value)))}`;
    case 'drop':
      return `${alerts.drop(website, number)} ${usualToday()}`;
    case 'silence':
      return `${alerts.silence(website, hours ?? 0)} ${usually(alerts.silenceUsual)}`;
    case 'goal':
      return `${alerts.goal(website, number, subject ?? '')} ${usualToday()}`;
    case 'dropped': {
      const reason = subject === null ? [] : [alerts.mostDropped(meaningOf(words, subject) ?? subject)];
      const before = usually((value) => alerts.droppedUsual(percent(value)));
      return [alerts.dropped(website, percent(number)), ...reason, before].join(' ');
    }
  }
}

/**
 * The mail about an alert that has fired.
 *
 * @param day on which it fired, in the website's zone
 */
export function mailOf(
  locale: Locale,
  { at, website, alert }: AlertMail,
  day: Day,
  to: string,
  messageId: string,
): NoticeMail {
  const { words, format } = locale;
  const address = formatAddress(website.url);
  const listOf = (title: string, dimension: 'source' | 'page', values: readonly FiredValue[]) => ({
    title,
    rows: values.map(({ value, visitors }) => ({
      value: formatValue(locale, dimension, value),
      count: format.count(visitors),
    })),
  });
  const lists = [
    listOf(words.alerts.topSources, 'source', alert.sources),
    listOf(words.alerts.topPages, 'page', alert.pages),
  ];
  return {
    to,
    locale,
    subject: `${words.alerts.names[alert.rule]}: ${address}`,
    title: address,
    paragraphs: [textOf(locale, website.url, alert), words.alerts.reason],
    lists: lists.filter(({ rows }) => rows.length > 0),
    link: alert.pageUrl === null ? undefined : linkOf(locale, alert.rule, alert.pageUrl, day),
    messageId,
    date: new Date(at),
  };
}

/** The statistics, or what explains a drop of this day: the mail may be opened on another. */
function linkOf({ words }: Locale, rule: FiredAlert['rule'], pageUrl: string, day: Day) {
  if (rule !== 'drop') return { label: words.alerts.show, url: pageUrl };
  return { label: words.statistics.whyItChanged, url: `${pageUrl}/change?from=${day}&to=${day}` };
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

/** To one decimal. */
export function rounded(number: number): number {
  return Math.round(number * 10) / 10;
}
