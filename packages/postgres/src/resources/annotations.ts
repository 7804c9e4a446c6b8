import {
  type Annotation,
  type AnnotationRepository,
  MAX_ANNOTATIONS,
  tooManyAnnotations,
} from '@hitherto/domain/annotations';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { sql } from 'kysely';
import { createOwned, type OwnedDependencies } from './owned.ts';

/** Stores annotations in PostgreSQL. */
export function createAnnotationRepository(deps: OwnedDependencies): AnnotationRepository {
  const owned = createOwned<WebsiteKey, Annotation>(deps, {
    name: 'annotation',
    owner: 'website',
    columns: {
      day: ['day', 'date'],
      text: ['text', 'text'],
      isPublic: ['is_public', 'boolean'],
      updatedAt: ['updated_at', 'timestamptz'],
    },
    limit: MAX_ANNOTATIONS,
    tooMany: tooManyAnnotations,
    order: sql`annotation.day, annotation.number`,
    toValues: (annotation) => ({ ...annotation }),
    toResource: (row) => row,
  });
  return {
    ...owned,

    async list(website, days) {
      const all = await owned.list(website);
      return days === undefined ? all : all?.filter(({ day }) => day >= days.from && day <= days.to);
    },
  };
}
