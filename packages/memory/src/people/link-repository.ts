import {
  foldEmail,
  MAX_LINKS_AN_HOUR,
  type PersonLink,
  type PersonLinkRepository,
  personNotFound,
} from '@hitherto/domain/people';
import { audit } from '../audit-trail.ts';
import type { State } from '../state.ts';
import { addMail } from '../task-queue.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Stores one-time links in `state`. */
export function createPersonLinkRepository(state: State): PersonLinkRepository {
  return {
    async insert(link, mail, changes = []) {
      if (link.personId !== null && !state.people.has(link.personId)) throw personNotFound();
      if (link.purpose === 'sign_in') deleteLinks(state, (each) => isAlike(each, link));
      const since = link.createdAt.getTime() - HOUR_MS;
      const earlier = state.personLinks.filter((each) => isAlike(each, link) && each.createdAt.getTime() > since);
      if (earlier.length >= MAX_LINKS_AN_HOUR) return false;
      state.personLinks.push(structuredClone(link));
      if (mail !== undefined) addMail(state, mail);
      for (const change of changes) audit(state, change);
      return true;
    },

    async find(tokenHash) {
      return structuredClone(state.personLinks.find((each) => each.tokenHash === tokenHash));
    },

    async delete(tokenHash) {
      return deleteLinks(state, (each) => each.tokenHash === tokenHash) > 0;
    },

    async deleteExpired(now) {
      return deleteLinks(state, ({ expiresAt }) => expiresAt <= now);
    },
  };
}

/** Deletes the links for which this holds; returns how many. */
export function deleteLinks(state: State, isDeleted: (link: PersonLink) => boolean): number {
  const before = state.personLinks.length;
  state.personLinks = state.personLinks.filter((link) => !isDeleted(link));
  return before - state.personLinks.length;
}

function isAlike(one: PersonLink, other: PersonLink): boolean {
  if (one.purpose !== other.purpose) return false;
  if (other.personId !== null) return one.personId === other.personId;
  return foldEmail(one.email ?? '') === foldEmail(other.email ?? '');
}
