import type { TSchema } from '@sinclair/typebox';

/**
 * The part of the OpenAPI document that a face contributes; the API serves the document. For routes whose bodies and queries
 * no schema validates; the other routes are documented from their schemas.
 */
export interface Documentation {
  /** Named by their `$id`; `{ $ref: 'Name#' }` refers to one. */
  readonly schemas: readonly TSchema[];
  /** Operations of OpenAPI by path and method, in lower case. HEAD is added next to each GET. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}
