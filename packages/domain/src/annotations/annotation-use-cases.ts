import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '../base/errors.ts';
import { nextVersion, type Precondition, untilSettled } from '../base/versions.ts';
import type { Period } from '../calendar/days.ts';
import type { Change } from '../changes/change.ts';
import { type Created, createOnce } from '../changes/create-once.ts';
import { type Authored, changesOf, makeEntry, verbOf } from '../changes/entry.ts';
import type { IdempotencyRepository } from '../changes/idempotency-repository.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Annotation, AnnotationFields } from './annotation.ts';
import type { AnnotationRepository } from './annotation-repository.ts';

// One use case for each verb. Each rejects with `not_found` if the account has no such website, or the website no such
// annotation.

export interface AnnotationDependencies {
  readonly annotations: AnnotationRepository;
  readonly idempotency: IdempotencyRepository;
  readonly now: () => Date;
  /** A new UUIDv7, monotonic within the process. */
  readonly newId: () => string;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

type Changing = Pick<AnnotationDependencies, 'annotations' | 'now' | 'newId'> & Authored;

/** The annotations of these days, or all of them, by day. */
export async function listAnnotations(
  { annotations }: Pick<AnnotationDependencies, 'annotations'>,
  website: WebsiteKey,
  days?: Period,
): Promise<Annotation[]> {
  const found = await annotations.list(website, days);
  if (found === undefined) throw notFound();
  return found;
}

/** Creates an annotation. Throws a `DomainError` `too_many_annotations`. */
export async function createAnnotation(
  deps: Changing,
  website: WebsiteKey,
  fields: AnnotationFields,
): Promise<Annotation> {
  const annotation = makeAnnotation(deps, fields);
  await deps.annotations.insert(website, annotation, changeOf(deps, website, undefined, annotation));
  return annotation;
}

/** As {@link createAnnotation}, once per `idempotencyKey` and account: see {@link createOnce}. */
export function createAnnotationOnce(
  deps: AnnotationDependencies & Authored,
  website: WebsiteKey,
  fields: AnnotationFields,
  idempotencyKey: string,
): Promise<Created<Annotation>> {
  const { day, text, isPublic } = fields;
  return createOnce(deps, website.accountId, idempotencyKey, {
    content: JSON.stringify(['annotation', website.websiteId, day, text, isPublic]),
    make: async () => makeAnnotation(deps, fields),
    insert: (annotation, record) =>
      deps.annotations.insert(website, annotation, { ...changeOf(deps, website, undefined, annotation), record }),
  });
}

/**
 * Updates an annotation atomically: concurrent changes to different fields are all kept. An update that changes nothing leaves
 * it unmodified, including `updatedAt`. Throws any error of the precondition.
 */
export function updateAnnotation(
  deps: Changing,
  website: WebsiteKey,
  id: string,
  changes: Partial<AnnotationFields>,
  precondition?: Precondition,
): Promise<Annotation> {
  return untilSettled(async () => {
    const current = await show(deps, website, id);
    precondition?.(current);
    const wanted = { ...current, ...changes };
    if (isDeepStrictEqual(wanted, current)) return current;
    const changed = { ...wanted, updatedAt: nextVersion(current, deps.now()) };
    const change = changeOf(deps, website, current, changed);
    return (await deps.annotations.replace(website, changed, current.updatedAt, change)) ? changed : undefined;
  });
}

/** Deletes an annotation. Throws any error of the precondition. */
export async function deleteAnnotation(
  deps: Changing,
  website: WebsiteKey,
  id: string,
  precondition?: Precondition,
): Promise<void> {
  await untilSettled(async () => {
    const current = await show(deps, website, id);
    precondition?.(current);
    const change = changeOf(deps, website, current, undefined);
    return (await deps.annotations.delete(website, id, current.updatedAt, change)) ? current : undefined;
  });
}

async function show({ annotations }: Changing, website: WebsiteKey, id: string): Promise<Annotation> {
  const found = await annotations.find(website, id);
  if (found === undefined) throw notFound();
  return found;
}

function makeAnnotation({ now, newId }: Pick<Changing, 'now' | 'newId'>, fields: AnnotationFields): Annotation {
  const at = now();
  return { id: newId(), ...fields, createdAt: at, updatedAt: at };
}

/** The change of an annotation that is created (no `before`), updated, or deleted (no `after`). */
function changeOf(
  deps: Changing,
  { accountId, websiteId }: WebsiteKey,
  before: Annotation | undefined,
  after: Annotation | undefined,
): Change {
  const { id = '', text = '' } = after ?? before ?? {};
  const verb = verbOf(before, after);
  const entry = makeEntry(deps, {
    accountId,
    action: `annotation.${verb}`,
    websiteId,
    subject: { id, name: text },
    changes: changesOf(fieldsOf(before), fieldsOf(after)),
  });
  return { entry };
}

function fieldsOf(annotation: Annotation | undefined): Readonly<Record<string, unknown>> {
  if (annotation === undefined) return {};
  return { day: annotation.day, text: annotation.text, isPublic: annotation.isPublic };
}

function notFound(): DomainError {
  return new DomainError('not_found', 'There is no such website, or no such annotation.');
}
