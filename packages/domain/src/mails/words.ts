import type { Notice, NoticeKind, Person } from '../people/index.ts';
import type { NoticeMail } from '../reports/mailer.ts';

/** What a mail says. */
export type Words = Pick<NoticeMail, 'subject' | 'paragraphs' | 'link'>;

const NOTICES: Readonly<Record<Exclude<NoticeKind, 'removed_from_account'>, readonly [subject: string, text: string]>> =
  {
    password_changed: ['Your password was changed', 'All other browsers were signed out.'],
    address_changed: ['Your address was changed', 'You sign in with another address now.'],
    second_factor_on: ['Your second factor was turned on', 'You need it from the next sign-in on.'],
    second_factor_off: ['Your second factor was turned off', 'A password alone signs you in now.'],
    passkey_added: ['A passkey was added', 'It signs you in from now on.'],
    passkey_removed: ['A passkey was removed', 'It signs you in no longer.'],
    provider_linked: ['A sign-in provider was linked', 'It signs you in from now on.'],
    provider_removed: ['A sign-in provider was unlinked', 'It signs you in no longer.'],
    sign_in_link: [
      'A sign-in link was made for you',
      'Whoever runs this installation made it. It works once, for 15 minutes.',
    ],
  };
const NOT_YOU = 'If this was not you, ask an owner of your account or whoever runs this installation for help.';

/** The mail about a notice. */
export function wordsOfNotice({ kind, account = '' }: Notice, { email }: Pick<Person, 'email'>, origin: string): Words {
  if (kind === 'removed_from_account') {
    const text = `An owner removed you from the account “${account}” at ${origin}.`;
    return { subject: 'You were removed from an account', paragraphs: [text], link: undefined };
  }
  const [subject, text] = NOTICES[kind];
  const whose = `This is about the sign-in of ${email} at ${origin}.`;
  return { subject, paragraphs: [text, whose, NOT_YOU], link: undefined };
}
