import { type AnnotationItem, parseNewAnnotation } from '@hitherto/domain';
import type { Static } from '@sinclair/typebox';
import type { AnnotationLine } from './transfer-schema.ts';

// Annotations in the lines of an export: with the fields that the API has.

export function toAnnotationLine({ accountId, websiteId, annotation }: AnnotationItem): Static<typeof AnnotationLine> {
  const { id, day, text, isPublic, createdAt, updatedAt } = annotation;
  return {
    type: 'annotation',
    account_id: accountId,
    website_id: websiteId,
    id,
    day,
    text,
    is_public: isPublic,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

/** Throws `InvalidFields` if the API would reject the annotation. */
export function toAnnotationItem(line: Static<typeof AnnotationLine>): AnnotationItem {
  const { account_id: accountId, website_id: websiteId, id, created_at, updated_at } = line;
  const times = { createdAt: new Date(created_at), updatedAt: new Date(updated_at) };
  return { type: 'annotation', accountId, websiteId, annotation: { id, ...parseNewAnnotation(line), ...times } };
}
