import { hash } from 'node:crypto';
import type { Grant } from '../access/roles.ts';
import { DomainError } from '../base/errors.ts';

/** A link by which one person becomes a member, once (people.md, "Invitations"). */
export interface Invitation extends Grant {
  /** UUIDv7; identifies the invitation in lists and for revoking. */
  readonly id: string;
  readonly accountId: string;
  /** Whom it is for; `null` for the link of the first start, whose opener chooses an address. */
  readonly email: string | null;
  /** SHA-256 of the token in its address, in hex. */
  readonly tokenHash: string;
  /** Whether it was mailed and shown to nobody else: who opens it has the mailbox. */
  readonly isMailed: boolean;
  /** The name of who invited. */
  readonly invitedBy: string;
  readonly createdAt: Date;
  /** `null` for the link of the first start, which each start replaces. */
  readonly expiresAt: Date | null;
}

export const MAX_INVITATIONS = 100;
const DAY_MS = 24 * 60 * 60 * 1000;
/** How long an invitation lasts, in milliseconds. */
export const INVITATION_MS = 7 * DAY_MS;
const TOKEN_BYTES = 24;

/** A new token of a one-time link: 24 random bytes in base64url. */
export function makeOneTimeToken(randomBytes: (size: number) => Uint8Array): string {
  return Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url');
}

/** The hash under which a one-time link is stored. Any text is accepted. */
export function hashOneTimeToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** The account has as many open invitations as it may have. */
export function tooManyInvitations(): DomainError {
  return new DomainError('too_many_invitations', ({ faults }) => faults.people.invitations(MAX_INVITATIONS));
}
