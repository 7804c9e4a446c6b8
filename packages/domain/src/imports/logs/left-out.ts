import { DROP_RULES } from '../../hits/count-hit.ts';
import type { LineReason } from './read-log.ts';

/** A reason to leave out rows of files and lines of logs, in words. */
interface LeftOut {
  /** The end of a phrase that begins with a number of rows or lines. */
  readonly short: string;
  /** A sentence for the website's owner. It is stored with imports, so no line itself is in it. */
  readonly meaning: string;
}

/** Why rows and lines are left out. */
export const LEFT_OUT: Readonly<Record<LineReason, LeftOut>> = {
  ...DROP_RULES,
  method: { short: 'that are no page requests', meaning: 'Not a page request.' },
  static_file: { short: 'that request files, not pages', meaning: 'It asks for a file.' },
  status: { short: 'with a status other than that of a delivered page', meaning: 'The status does not count.' },
  faulty: { short: 'that cannot be read', meaning: 'It cannot be read.' },
  not_counted: { short: 'that are neither a pageview nor an event', meaning: 'It is a header or a message.' },
  after_until: { short: 'after the last day that is imported', meaning: 'It is after the last day to import.' },
  collected_here: {
    short: 'of days that this website has collected itself',
    meaning: 'The website itself has collected hits since.',
  },
  unknown_host: { short: 'with a host that has no website', meaning: 'Its host has no website.' },
  earlier: { short: 'that may have been read before', meaning: 'It may have been read before.' },
  future: { short: 'with a time in the future', meaning: 'Its time is in the future.' },
  too_old: { short: 'older than the stored hits', meaning: 'It is older than the stored hits.' },
  imported: { short: 'of days that an import covers', meaning: 'Its day is imported.' },
};
