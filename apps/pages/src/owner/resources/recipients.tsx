import { dayOf, zoneOf } from '@hitherto/domain/calendar';
import {
  isAsked,
  MAX_RECIPIENTS,
  parseNewRecipient,
  RECIPIENT,
  type Recipient,
  type RecipientDependencies,
} from '@hitherto/domain/recipients';
import type { ReportMailing } from '@hitherto/domain/reports';
import { createResource } from '@hitherto/domain/resources';
import { useLocale } from '../../shared/locale.tsx';
import { websitePath } from '../../shared/paths.ts';
import { TextField } from '../field.tsx';
import { type OpenedWebsite, type OpeningWebsites, openWebsite } from './opened.tsx';
import type { ControlsProps, ResourcePages } from './resource-pages.ts';

export interface RecipientPagesDependencies extends RecipientDependencies, OpeningWebsites {
  /** `undefined` without a mail server. */
  readonly reportMailing: ReportMailing | undefined;
}

/** The further recipients of a website's reports (reports.md, "Further recipients"). */
export const RECIPIENTS: ResourcePages<RecipientPagesDependencies, OpenedWebsite, Recipient> = {
  type: RECIPIENT,
  list: websitePath(':id', 'recipients'),
  limit: MAX_RECIPIENTS,
  forms: 'list-last',
  texts: ({ recipient }) => recipient,

  open: (deps, request) => openWebsite(deps, request, 'recipients'),
  notice: ({ reportMailing }) => (reportMailing === undefined ? <NoMail /> : undefined),
  nameOf: ({ email }) => email,

  summarize({ zone, now }, { website, locale: { format, words } }, recipients) {
    const { recipient } = words.resources;
    const dayIn = (time: Date) => format.fullDay(dayOf(zoneOf(website, zone), time));
    return recipients.map((each) => {
      const { askedAt, confirmedAt } = each;
      if (confirmedAt !== null) return recipient.confirmed(dayIn(confirmedAt));
      if (askedAt === null) return recipient.notAsked;
      return isAsked(each, now()) ? recipient.asked(dayIn(askedAt)) : recipient.late;
    });
  },

  blank: () => ({}),
  controls: (_deps, _found, form) => <Controls {...form} />,

  async create(deps, { owner }, { email }) {
    return { created: await createResource(deps, RECIPIENT, owner, parseNewRecipient({ email })) };
  },
};

function NoMail() {
  const { resources } = useLocale().words;
  return <p class="notice">{resources.recipient.noMail}</p>;
}

function Controls({ fields, faults }: ControlsProps) {
  const { resources } = useLocale().words;
  return (
    <TextField
      name="email"
      label={resources.recipient.email}
      hint={resources.recipient.emailHint}
      value={fields.email}
      faults={faults}
      type="email"
      required
      maxLength={254}
    />
  );
}
