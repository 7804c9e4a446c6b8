import { DomainError } from '../base/errors.ts';
import {
  fingerprintOf,
  hashIdempotencyKey,
  type IdempotencyRecord,
  makeIdempotencyRecord,
  openIdempotencyRecord,
} from './idempotency-record.ts';
import type { IdempotencyRepository } from './idempotency-repository.ts';

/** How long a create can be repeated with its `Idempotency-Key`, in ms (api.md, "Retries and concurrency"). */
export const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;

interface CreateOnceDependencies {
  readonly idempotency: Pick<IdempotencyRepository, 'find'>;
  readonly now: () => Date;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

interface Dated {
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A create that can be repeated. */
interface Creation<Resource extends Dated> {
  /** The request in normal form, without secrets that could be guessed. */
  readonly content: string;
  /** A new resource; apart from its two times it must be plain JSON. */
  make(): Promise<Resource>;
  /** Adds the resource and the record, or returns the earlier record of the same key. */
  insert(resource: Resource, record: IdempotencyRecord): Promise<IdempotencyRecord | undefined>;
}

/** The result of a create that can be repeated; `replayed`: an earlier request created the resource. */
export interface Created<Resource> {
  readonly resource: Resource;
  readonly replayed: boolean;
}

/**
 * Creates a resource once per `idempotencyKey` and account within 24 hours: a repeat resolves to the resource as it was
 * created, even after it was updated or deleted.
 *
 * @throws DomainError `idempotency_key_reused` where the key came with another content before
 */
export async function createOnce<Resource extends Dated>(
  deps: CreateOnceDependencies,
  accountId: string,
  idempotencyKey: string,
  creation: Creation<Resource>,
): Promise<Created<Resource>> {
  const { content } = creation;
  const replay = (record: IdempotencyRecord): Created<Resource> => {
    if (record.fingerprint !== fingerprintOf(accountId, idempotencyKey, content)) throw idempotencyKeyReused();
    return { resource: parse(openIdempotencyRecord(accountId, idempotencyKey, record)), replayed: true };
  };
  const known = await deps.idempotency.find(accountId, hashIdempotencyKey(accountId, idempotencyKey), deps.now());
  if (known !== undefined) return replay(known);

  const resource = await creation.make();
  const repeatable = {
    content,
    response: JSON.stringify(resource),
    expiresAt: new Date(resource.createdAt.getTime() + IDEMPOTENCY_WINDOW_MS),
  };
  const record = makeIdempotencyRecord(accountId, idempotencyKey, repeatable, deps.randomBytes);
  const earlier = await creation.insert(resource, record);
  return earlier === undefined ? { resource, replayed: false } : replay(earlier);
}

/** The key came with another request before. */
export function idempotencyKeyReused(): DomainError {
  return new DomainError(
    'idempotency_key_reused',
    'This Idempotency-Key was already used with different fields; use a new one.',
  );
}

function parse<Resource extends Dated>(text: string): Resource {
  const resource: Resource = JSON.parse(text);
  const { createdAt, updatedAt } = resource;
  return Object.assign(resource, { createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) });
}
