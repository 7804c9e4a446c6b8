import { randomBytes, randomUUID } from 'node:crypto';
import type { Invitation, Member, NewApp, Person, PersonLink } from '@hitherto/domain/people';

const AT = new Date('2026-11-20T12:00:00.001Z');

/** A person for tests; each has an address of their own. */
export function aPerson(overrides: Partial<Person> = {}): Person {
  const id = overrides.id ?? randomUUID();
  return {
    id,
    email: `${id}@example.com`,
    isVerified: false,
    name: 'Ægir',
    passwordHash: 'hash',
    identity: null,
    language: null,
    createdAt: AT,
    updatedAt: AT,
    ...overrides,
  };
}

/** A member for tests: an editor of all websites. */
export function aMember(overrides: Partial<Member> = {}): Member {
  return {
    accountId: randomUUID(),
    personId: randomUUID(),
    role: 'editor',
    websiteIds: null,
    isByGroup: false,
    createdAt: AT,
    updatedAt: AT,
    ...overrides,
  };
}

/** An invitation for tests, as an editor of all websites. */
export function anInvitation(overrides: Partial<Invitation> = {}): Invitation {
  const id = overrides.id ?? randomUUID();
  return {
    id,
    accountId: randomUUID(),
    email: `${id}@example.com`,
    role: 'editor',
    websiteIds: null,
    tokenHash: randomBytes(32).toString('hex'),
    isMailed: false,
    invitedBy: 'Ægir',
    createdAt: AT,
    expiresAt: new Date('2026-11-27T12:00:00.001Z'),
    ...overrides,
  };
}

/** An app that makes codes, for tests. */
export function anApp(overrides: Partial<NewApp> = {}): NewApp {
  return { personId: randomUUID(), secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', step: 1, since: AT, ...overrides };
}

/** A one-time link for tests: for a new password. */
export function aPersonLink(overrides: Partial<PersonLink> = {}): PersonLink {
  return {
    tokenHash: randomBytes(32).toString('hex'),
    purpose: 'password',
    personId: null,
    email: 'somebody@example.com',
    createdAt: AT,
    expiresAt: new Date('2026-11-20T13:00:00.001Z'),
    ...overrides,
  };
}
