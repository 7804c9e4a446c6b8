import type { Period } from '../calendar/days.ts';
import type { UpdatableRepository } from '../resources/resource-repository.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Annotation } from './annotation.ts';

/** Stores the annotations of websites. */
export interface AnnotationRepository extends UpdatableRepository<WebsiteKey, Annotation> {
  /** The annotations of these days, or all of them, by day, and of a day in the order in which they were inserted. */
  list(website: WebsiteKey, days?: Period): Promise<Annotation[] | undefined>;
}
