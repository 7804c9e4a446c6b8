import type { Invitation, Notice, NoticeKind, Person } from '../people/index.ts';
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
    const text = `An owner removed you from the account ${quoted(account)} at ${origin}.`;
    return { subject: 'You were removed from an account', paragraphs: [text], link: undefined };
  }
  const [subject, text] = NOTICES[kind];
  const whose = `This is about the sign-in of ${email} at ${origin}.`;
  return { subject, paragraphs: [text, whose, NOT_YOU], link: undefined };
}

/** The mail of an invitation. Names are of people: they are quoted, and no address in them becomes a link. */
export function wordsOfInvitation({ invitedBy }: Invitation, account: string, origin: string, url: string): Words {
  const text = `${quoted(invitedBy)} invites you to the account ${quoted(account)} at ${origin}, which has the statistics of websites.`;
  return {
    subject: 'You are invited to statistics of websites',
    paragraphs: [text, 'The link works once, for 7 days. If you do not know who invites you, ignore this mail.'],
    link: { label: 'Join', url },
  };
}

/** The mail with a link for a new password. */
export function wordsOfPasswordLink(origin: string, url: string): Words {
  return {
    subject: 'Choose a new password',
    paragraphs: [
      `Somebody asked for a new password for your sign-in at ${origin}.`,
      'The link works once, for an hour. If this was not you, ignore this mail: nothing has changed.',
    ],
    link: { label: 'Choose a new password', url },
  };
}

/** The mail that verifies an address. */
export function wordsOfAddressLink(origin: string, url: string): Words {
  return {
    subject: 'Confirm your e-mail address',
    paragraphs: [
      `Somebody who signs in at ${origin} says that this address is theirs.`,
      'If this is you, open the link in the browser in which you are signed in. It works once, for a day. If it is not, ignore this mail.',
    ],
    link: { label: 'Confirm the address', url },
  };
}

/** A name in quotes; without `://`, programs make no link of it. */
function quoted(name: string): string {
  return `“${name.replaceAll('://', ' ')}”`;
}
