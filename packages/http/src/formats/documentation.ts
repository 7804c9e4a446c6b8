import type { TSchema } from '@sinclair/typebox';

/**
 * What a face adds to the OpenAPI document, which the API serves. For routes whose bodies and queries no schema validates;
 * those of the API document themselves.
 */
export interface Documentation {
  /** Named by their `$id`; `{ $ref: 'Name#' }` refers to one. */
  readonly schemas: readonly TSchema[];
  /** Operations of OpenAPI by path and method, in lower case. HEAD is added next to each GET. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}
