import type { Locale } from '@hitherto/words';
import { formatAddress } from '../format/index.ts';
import type { Invitation, Notice, Person } from '../people/index.ts';
import type { NoticeMail } from '../reports/mailer.ts';

/** What a mail says. */
export type Words = Pick<NoticeMail, 'subject' | 'paragraphs' | 'link'>;

/** The mail about a notice. */
export function wordsOfNotice(
  { words: { mails } }: Locale,
  { kind, account = '' }: Notice,
  { email }: Pick<Person, 'email'>,
  origin: string,
): Words {
  if (kind === 'removed_from_account') {
    return { subject: mails.removed, paragraphs: [mails.removedText(plain(account), origin)], link: undefined };
  }
  const { subject, text } = mails[kind];
  return { subject, paragraphs: [text, mails.whose(email, origin), mails.notYou], link: undefined };
}

/** The mail of an invitation. */
export function wordsOfInvitation(
  { words: { mails } }: Locale,
  { invitedBy }: Invitation,
  account: string,
  origin: string,
  url: string,
): Words {
  return {
    subject: mails.invitation,
    paragraphs: [mails.invitationText(plain(invitedBy), plain(account), origin), mails.invitationLink],
    link: { label: mails.join, url },
  };
}

/** The mail with a link for a new password. */
export function wordsOfPasswordLink({ words: { mails } }: Locale, origin: string, url: string): Words {
  return {
    subject: mails.newPassword,
    paragraphs: [mails.newPasswordText(origin), mails.newPasswordLink],
    link: { label: mails.newPassword, url },
  };
}

/** The mail that verifies an address. */
export function wordsOfAddressLink({ words: { mails } }: Locale, origin: string, url: string): Words {
  return {
    subject: mails.confirm,
    paragraphs: [mails.confirmText(origin), mails.confirmLink],
    link: { label: mails.confirmAddress, url },
  };
}

/** The mail that asks a recipient to confirm. */
export function wordsOfRecipient(
  { words: { mails } }: Locale,
  account: string,
  website: string,
  origin: string,
  url: string,
): Words {
  const address = formatAddress(website);
  return {
    subject: mails.recipient(address),
    paragraphs: [mails.recipientText(plain(account), address, origin), mails.recipientLink],
    link: { label: mails.recipientConfirm, url },
  };
}

/** The name of a person or an account, of which programs make no link. */
function plain(name: string): string {
  return name.replaceAll('://', ' ');
}
