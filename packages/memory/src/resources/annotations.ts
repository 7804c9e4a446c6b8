import {
  type Annotation,
  type AnnotationRepository,
  MAX_ANNOTATIONS,
  tooManyAnnotations,
} from '@hitherto/domain/annotations';
import type { WebsiteKey } from '@hitherto/domain/websites';
import type { State } from '../state.ts';
import { createOwned } from './owned.ts';

/** Stores annotations in `state`. */
export function createAnnotationRepository(state: State): AnnotationRepository {
  const rules = { limit: MAX_ANNOTATIONS, tooMany: tooManyAnnotations };
  const owned = createOwned<WebsiteKey, Annotation>(state, state.resources.annotation, rules);
  return {
    ...owned,

    async list(website, days) {
      const all = await owned.list(website);
      return all
        ?.filter(({ day }) => days === undefined || (day >= days.from && day <= days.to))
        .sort((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0));
    },
  };
}
