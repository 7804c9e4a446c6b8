/** What a person is told of by mail: each opens a way in, or closes one. */
export const NOTICES = [
  'password_changed',
  'address_changed',
  'second_factor_on',
  'second_factor_off',
  'passkey_added',
  'passkey_removed',
  'provider_linked',
  'provider_removed',
  'sign_in_link',
  'removed_from_account',
] as const;
export type NoticeKind = (typeof NOTICES)[number];

/** Tells a person that something about their sign-in has changed. */
export interface Notice {
  readonly kind: NoticeKind;
  /** The name of the account that it is about. */
  readonly account?: string;
  /** The verified address that the person had, where it was changed; else the notice goes to the one they have when it is sent. */
  readonly to?: string;
}

/** The mails with a link: an invitation, a link for a new password, or one that verifies an address. */
const LINK_MAILS = ['invitation', 'password_link', 'address_link'] as const;
export type LinkMailKind = (typeof LINK_MAILS)[number];

/** The occasion of a mail. The token of a link says whom it is for; the token of a recipient follows from it. */
export type MailAbout =
  | { readonly kind: 'notice'; readonly personId: string; readonly notice: Notice }
  | { readonly kind: LinkMailKind }
  | { readonly kind: 'recipient'; readonly recipientId: string };

/** A mail to a person, which waits in the queue. Who gets it is decided when it is sent. */
export interface PersonMail {
  /** UUIDv7; the Message-ID has it, at every try. */
  readonly id: string;
  readonly at: Date;
  readonly about: MailAbout;
  /** The token of its link, which is stored encrypted. */
  readonly token?: string;
}

/**
 * A notice to a person, which is recorded with the change that it is about. It is sent if there is a mail server, to a verified
 * address alone, and tried again for at most an hour.
 */
export function makeNotice(
  { now, newId }: { readonly now: () => Date; readonly newId: () => string },
  personId: string,
  notice: Notice,
): PersonMail {
  return { id: newId(), at: now(), about: { kind: 'notice', personId, notice } };
}

/** The time and the subject of a mail as its task has them; `undefined` if that has none. */
export function readMail(payload: unknown): Pick<PersonMail, 'at' | 'about'> | undefined {
  if (!isObject(payload) || typeof payload.at !== 'string' || !isAbout(payload.about)) return undefined;
  return { at: new Date(payload.at), about: payload.about };
}

function isAbout(value: unknown): value is MailAbout {
  if (!isObject(value)) return false;
  if (LINK_MAILS.some((kind) => kind === value.kind)) return true;
  if (value.kind === 'recipient') return typeof value.recipientId === 'string';
  const { notice } = value;
  return (
    value.kind === 'notice' &&
    typeof value.personId === 'string' &&
    isObject(notice) &&
    NOTICES.some((kind) => kind === notice.kind) &&
    (notice.account === undefined || typeof notice.account === 'string') &&
    (notice.to === undefined || typeof notice.to === 'string')
  );
}

function isObject<Name extends string>(value: unknown): value is { readonly [name in Name]?: unknown } {
  return typeof value === 'object' && value !== null;
}
