import {
  type Annotation,
  type AnnotationRepository,
  MAX_ANNOTATIONS,
  tooManyAnnotations,
} from '@hitherto/domain/annotations';
import { DomainError } from '@hitherto/domain/base';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { note } from './audit-trail.ts';
import { earlierRecord, keepRecord } from './idempotency-repository.ts';
import { type AccountState, hasAnnotation, type State } from './state.ts';

/** Stores annotations in `state`. Each method does its work in one turn of the event loop, and so is atomic. */
export function createAnnotationRepository(state: State): AnnotationRepository {
  const accountOf = ({ accountId, websiteId }: WebsiteKey): AccountState | undefined => {
    const account = state.accounts.get(accountId);
    return account?.websites.has(websiteId) ? account : undefined;
  };
  const annotationsOf = (website: WebsiteKey): Map<string, Annotation> | undefined =>
    accountOf(website)?.annotations.get(website.websiteId);

  return {
    async list(website, days) {
      if (accountOf(website) === undefined) return undefined;
      const all = [...(annotationsOf(website)?.values() ?? [])];
      const chosen = all.filter(({ day }) => days === undefined || (day >= days.from && day <= days.to));
      return structuredClone(chosen.sort((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0)));
    },

    async find(website, id) {
      return structuredClone(annotationsOf(website)?.get(id));
    },

    async insert(website, annotation, change) {
      const account = accountOf(website);
      if (account === undefined) throw new DomainError('not_found', 'The website is gone.');
      const earlier = change.record && earlierRecord(account, change.record, annotation.createdAt);
      if (earlier !== undefined) return earlier;
      const all = account.annotations.get(website.websiteId) ?? new Map();
      if (all.size >= MAX_ANNOTATIONS) throw tooManyAnnotations();
      if (hasAnnotation(state, annotation.id)) {
        throw new DomainError('id_taken', 'There is already an annotation with this id.');
      }
      account.annotations.set(website.websiteId, all.set(annotation.id, structuredClone(annotation)));
      if (change.record !== undefined) keepRecord(account, change.record);
      note(state, change);
      return undefined;
    },

    async replace(website, annotation, expected, change) {
      const all = annotationsOf(website);
      if (all?.get(annotation.id)?.updatedAt.getTime() !== expected.getTime()) return false;
      all.set(annotation.id, structuredClone(annotation));
      note(state, change);
      return true;
    },

    async delete(website, id, expected, change) {
      const all = annotationsOf(website);
      if (all?.get(id)?.updatedAt.getTime() !== expected.getTime()) return false;
      note(state, change);
      return all.delete(id);
    },
  };
}
