import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '../base/errors.ts';
import { nextVersion } from '../base/versions.ts';
import type { Period } from '../calendar/days.ts';
import type { IdempotencyRepository } from '../changes/idempotency-repository.ts';
import type { Making, UpdatableType } from '../resources/resource-type.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Annotation, AnnotationFields } from './annotation.ts';
import type { AnnotationRepository } from './annotation-repository.ts';

interface StoredAnnotations {
  readonly annotations: AnnotationRepository;
}

/** The dependencies of the use cases of annotations. */
export interface AnnotationDependencies extends StoredAnnotations, Making {
  readonly idempotency: IdempotencyRepository;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

export const ANNOTATION = {
  kind: 'annotation',
  absence: 'There is no such website, or no such annotation.',
  repository: ({ annotations }) => annotations,

  make({ now, newId }, fields) {
    const at = now();
    return { id: newId(), ...fields, createdAt: at, updatedAt: at };
  },

  change(current, changes, now) {
    const wanted = { ...current, ...changes };
    return isDeepStrictEqual(wanted, current) ? current : { ...wanted, updatedAt: nextVersion(current, now) };
  },

  contentOf: ({ websiteId }, { day, text, isPublic }) => ['annotation', websiteId, day, text, isPublic],
  nameOf: ({ text }) => text,
  fieldsOf: ({ day, text, isPublic }) => ({ day, text, isPublic }),
} satisfies UpdatableType<WebsiteKey, Annotation, AnnotationFields, Partial<AnnotationFields>, StoredAnnotations>;

/** The annotations of these days, or all of them, by day. Rejects with `not_found`. */
export async function listAnnotations(
  { annotations }: StoredAnnotations,
  website: WebsiteKey,
  days?: Period,
): Promise<Annotation[]> {
  const found = await annotations.list(website, days);
  if (found === undefined) throw new DomainError('not_found', ANNOTATION.absence);
  return found;
}
