import { type Alert, MAX_ALERTS } from '@hitherto/domain/alerts';
import { type Annotation, MAX_ANNOTATIONS } from '@hitherto/domain/annotations';
import { UNRECORDED } from '@hitherto/domain/changes';
import { type Cleanup, MAX_CLEANUPS } from '@hitherto/domain/cleanups';
import { type Contents, DEFINITION_LIMITS, type DefinitionKind } from '@hitherto/domain/definitions';
import { MAX_LINKS, type SharedLink } from '@hitherto/domain/links';
import { MAX_RECIPIENTS, type Recipient } from '@hitherto/domain/recipients';
import type { Owner, Resource, ResourceRepository, UpdatableRepository } from '@hitherto/domain/resources';
import { MAX_WEBHOOKS, type Webhook } from '@hitherto/domain/webhooks';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled, rejected } from '@hitherto/testing/at-once';
import { aLink, anAnnotation, anEntry } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addAccount,
  addWebsites,
  aRecord,
  HOSTILE_STRINGS,
  type MakeRepositories,
  type TestRepositories,
} from './support/repositories.ts';
import { AT, after, anAlert, aWebhook } from './support/webhooks.ts';

/** What the contract needs to know of a kind. */
interface Kind<Stored extends Resource> {
  readonly name: string;
  readonly of: 'website' | 'account';
  readonly limit: number;
  readonly repository: (repositories: TestRepositories) => ResourceRepository<Owner, Stored>;
  /** Whether requests that create one have idempotency records; they do by default. */
  readonly hasRecords?: boolean;
  /** A resource that may stand next to others of other numbers. */
  readonly make: (number: number) => Stored;
}

/** A kind whose resources can change. */
interface UpdatableKind<Stored extends Resource> extends Kind<Stored> {
  readonly repository: (repositories: TestRepositories) => UpdatableRepository<Owner, Stored>;
  /** What differs in the resource after a change. */
  readonly changes: Partial<Stored>;
}

const CONTENTS: Contents = {
  segment: {
    match: 'any',
    filters: [{ kind: 'dimension', dimension: 'country', comparator: 'is', isNegated: true, values: ['DE', null] }],
  },
  goal: { rule: { event: 'Bücher 🦊', props: { 'z"': '\\', a: '' } }, sum: 'é' },
  funnel: { steps: [{ name: 'é', rule: { page: '/a' } }] },
};

function ofDefinitions<Kind extends DefinitionKind>(kind: Kind) {
  return {
    name: kind,
    of: 'website',
    limit: DEFINITION_LIMITS[kind],
    repository: ({ definitions }: TestRepositories) => definitions[kind],
    make: (number: number) => ({
      id: newId(),
      name: `Ægir 🦊 ${number}`,
      content: CONTENTS[kind],
      createdAt: AT,
      updatedAt: AT,
    }),
    changes: { name: 'ä' },
  } as const;
}

const LINK: Kind<SharedLink> = {
  name: 'link',
  of: 'website',
  limit: MAX_LINKS,
  repository: ({ links }) => links,
  make: () => aLink({ id: newId() }),
};
const RECIPIENT: Kind<Recipient> = {
  name: 'recipient',
  of: 'website',
  limit: MAX_RECIPIENTS,
  repository: ({ recipients }) => recipients,
  make: (number) => ({
    id: newId(),
    email: `Ægir${number}@bücher.example`,
    askedAt: AT,
    confirmedAt: null,
    createdAt: AT,
  }),
};
const ANNOTATION: UpdatableKind<Annotation> = {
  name: 'annotation',
  of: 'website',
  limit: MAX_ANNOTATIONS,
  repository: ({ annotations }) => annotations,
  make: () => anAnnotation({ id: newId() }),
  changes: { day: '2026-11-25', text: 'x'.repeat(200), isPublic: true },
};
const CLEANUP: UpdatableKind<Cleanup> = {
  name: 'cleanup',
  of: 'website',
  limit: MAX_CLEANUPS,
  repository: ({ cleanups }) => cleanups,
  make: (number) => ({
    id: newId(),
    name: `Ægir 🦊 ${number}`,
    ...CONTENTS.segment,
    from: '2026-11-20',
    to: null,
    status: 'applying',
    hidden: null,
    erasedAt: null,
    createdAt: AT,
    updatedAt: AT,
  }),
  changes: { name: 'ä', status: 'undoing', hidden: { visits: 1, hits: 2, keptFrom: '2026-11-01' }, erasedAt: AT },
};
const ALERT: UpdatableKind<Alert> = {
  name: 'alert',
  of: 'website',
  limit: MAX_ALERTS,
  hasRecords: false,
  repository: ({ alerts }) => alerts,
  make: () => anAlert(),
  changes: { hours: 48, webhooks: false },
};
const WEBHOOK: UpdatableKind<Webhook> = {
  name: 'webhook',
  of: 'account',
  limit: MAX_WEBHOOKS,
  repository: ({ webhooks }) => webhooks,
  make: () => aWebhook({ id: newId() }),
  changes: { url: 'https://b.example/', events: ['alert.fired'], isActive: false },
};

/** The contract of the repositories of all kinds of resources. */
export function ownedResourcesContract(makeRepositories: MakeRepositories): void {
  const ofUpdatable = <Stored extends Resource>(kind: UpdatableKind<Stored>) =>
    describe(`a resource of the kind ${kind.name}`, () => {
      const owned = owners(makeRepositories, kind.of);
      resourceContract(owned, kind);
      updatableContract(owned, kind);
    });
  ofUpdatable(CLEANUP);
  ofUpdatable(ofDefinitions('segment'));
  ofUpdatable(ofDefinitions('goal'));
  ofUpdatable(ofDefinitions('funnel'));
  ofUpdatable(ANNOTATION);
  ofUpdatable(ALERT);
  ofUpdatable(WEBHOOK);
  describe('a resource of the kind link', () => resourceContract(owners(makeRepositories, LINK.of), LINK));
  describe('a resource of the kind recipient', () =>
    resourceContract(owners(makeRepositories, RECIPIENT.of), RECIPIENT));
}

/** An account with two owners of resources, and another account. */
function owners(makeRepositories: MakeRepositories, of: Kind<Resource>['of']) {
  let repositories: TestRepositories;
  let owner: Owner;
  let other: Owner;
  let stranger: string;

  beforeEach(async () => {
    repositories = await makeRepositories();
    const accountId = await addAccount(repositories);
    stranger = await addAccount(repositories);
    const [one, two] = await addWebsites(repositories, accountId, ['https://a.example', 'https://b.example']);
    owner = of === 'account' ? { accountId } : { accountId, websiteId: one?.id };
    other = of === 'account' ? { accountId: stranger } : { accountId, websiteId: two?.id };
  });

  return {
    get: () => ({ repositories, owner, other }),
    /** Owners that do not exist, and one that is another account's. */
    absent: (): Owner[] =>
      of === 'account'
        ? [newId(), ...HOSTILE_STRINGS].map((accountId) => ({ accountId }))
        : [
            { ...owner, accountId: stranger },
            { ...owner, websiteId: newId() },
            ...HOSTILE_STRINGS.flatMap((text) => [
              { ...owner, accountId: text },
              { ...owner, websiteId: text },
            ]),
          ],
    entry: () => anEntry({ id: newId(), accountId: owner.accountId }),
    trail: async () =>
      (await repositories.audit.list(wholeAccount(owner.accountId), {}, 100)).entries.map(({ id }) => id).sort(),
  };
}

type Owners = ReturnType<typeof owners>;

function resourceContract<Stored extends Resource>(owned: Owners, kind: Kind<Stored>): void {
  const { get, absent, entry, trail } = owned;
  const setUp = () => ({ ...get(), stored: kind.repository(get().repositories) });
  const tooMany = { code: `too_many_${kind.name}s` };
  const none = kind.of === 'account' ? [] : undefined;

  it('is listed in the order of insertion, and found by its id, as a copy', async () => {
    const { stored, owner, other } = setUp();
    const resources = [3, 1, 2].map((number) => kind.make(number));
    for (const resource of resources) await stored.insert(owner, resource, UNRECORDED);
    const [first] = resources;
    const id = first?.id ?? '';
    (await stored.list(owner))?.[0]?.createdAt.setTime(0);
    (await stored.find(owner, id))?.createdAt.setTime(0);

    expect(await stored.list(owner)).toStrictEqual(resources);
    expect(await stored.list(other)).toEqual([]);
    expect(await stored.find(owner, id)).toStrictEqual(first);
    expect(await stored.find(other, id)).toBeUndefined();
    for (const unknown of [...HOSTILE_STRINGS, newId()]) expect(await stored.find(owner, unknown)).toBeUndefined();
  });

  it('needs its owner', async () => {
    const { repositories, stored, owner } = setUp();
    const resource = kind.make(0);
    await stored.insert(owner, resource, UNRECORDED);

    for (const key of absent()) {
      const change = { record: aRecord(), entry: entry() };
      await expect(stored.insert(key, kind.make(1), change)).rejects.toMatchObject({ code: 'not_found' });
      expect(await stored.list(key)).toEqual(none);
      expect(await stored.find(key, resource.id)).toBeUndefined();
      expect(await stored.delete(key, resource.id, undefined, { entry: entry() })).toBe(false);
    }
    expect([await stored.list(owner), await trail()]).toEqual([[resource], []]);
    expect(await repositories.idempotency.find(owner.accountId, 'key-hash', AT)).toBeUndefined();
  });

  it('is one of a limited number, also under concurrency', async () => {
    const { stored, owner, other } = setUp();
    for (let count = 1; count < kind.limit; count += 1) await stored.insert(owner, kind.make(count), UNRECORDED);

    const results = await atOnce(5, (index) => stored.insert(owner, kind.make(kind.limit + index), UNRECORDED));

    expect(fulfilled(results)).toEqual([undefined]);
    expect(rejected(results)).toEqual(Array(4).fill(expect.objectContaining(tooMany)));
    const found = (await stored.list(owner)) ?? [];
    expect(found).toHaveLength(kind.limit);
    await stored.insert(other, kind.make(0), UNRECORDED);
    await stored.delete(owner, found[0]?.id ?? '', undefined, UNRECORDED);
    await stored.insert(owner, kind.make(0), UNRECORDED);
  });

  if (kind.hasRecords !== false) recordContract(owned, kind);

  it('is written with its audit entry, and the entry only with it', async () => {
    const { stored, owner } = setUp();
    const resource = kind.make(0);
    const [created, deleted] = [entry(), entry()];

    await stored.insert(owner, resource, { entry: created });
    await stored.delete(owner, newId(), undefined, { entry: entry() });
    await stored.delete(owner, resource.id, undefined, { entry: deleted });
    await stored.delete(owner, resource.id, undefined, { entry: entry() });

    expect(await trail()).toEqual([created.id, deleted.id].sort());
  });

  it('is deleted once, and no other with it', async () => {
    const { stored, owner, other } = setUp();
    const [resource, kept] = [kind.make(0), kind.make(1)];
    for (const each of [resource, kept]) await stored.insert(owner, each, UNRECORDED);

    for (const id of [...HOSTILE_STRINGS, newId()]) {
      expect(await stored.delete(owner, id, undefined, UNRECORDED)).toBe(false);
    }
    expect(await stored.delete(other, resource.id, undefined, UNRECORDED)).toBe(false);
    expect(await stored.delete(owner, resource.id, undefined, UNRECORDED)).toBe(true);
    expect(await stored.delete(owner, resource.id, undefined, UNRECORDED)).toBe(false);

    expect(await stored.list(owner)).toStrictEqual([kept]);
  });

  it('is deleted with its website and its account', async () => {
    const { repositories, stored, owner, other } = setUp();
    const resource = kind.make(0);
    await stored.insert(owner, resource, UNRECORDED);
    await stored.insert(other, kind.make(0), UNRECORDED);

    if (owner.websiteId !== undefined) {
      await repositories.websites.delete(owner.accountId, owner.websiteId, undefined, UNRECORDED);
      expect(await stored.find(owner, resource.id)).toBeUndefined();
    }
    expect(await stored.list(other)).toHaveLength(1);
    await repositories.access.deleteAccount(other.accountId);

    expect(await stored.list(other)).toEqual(none);
  });
}

function recordContract<Stored extends Resource>({ get, entry, trail }: Owners, kind: Kind<Stored>): void {
  const setUp = () => ({ ...get(), stored: kind.repository(get().repositories) });

  it('is inserted with the idempotency record, both or neither', async () => {
    const { repositories, stored, owner } = setUp();
    const record = aRecord();
    const resource = kind.make(0);
    const later = { ...UNRECORDED, record: { ...record, fingerprint: 'x' }, entry: entry() };

    expect(await stored.insert(owner, resource, { ...UNRECORDED, record, entry: entry() })).toBeUndefined();
    expect(await stored.insert(owner, kind.make(1), later)).toEqual(record);

    expect(await stored.list(owner)).toStrictEqual([resource]);
    expect(await trail()).toHaveLength(1);
    expect(await repositories.idempotency.find(owner.accountId, record.keyHash, AT)).toEqual(record);
  });

  it('is inserted again under the key of a record that has expired', async () => {
    const { repositories, stored, owner } = setUp();
    const record = aRecord({ fingerprint: 'b' });
    await stored.insert(owner, kind.make(0), { ...UNRECORDED, record: aRecord({ expiresAt: AT }) });

    expect(await stored.insert(owner, kind.make(1), { ...UNRECORDED, record })).toBeUndefined();
    expect(await repositories.idempotency.find(owner.accountId, record.keyHash, AT)).toStrictEqual(record);
  });

  it('is inserted once by twenty requests with the same key', async () => {
    const { stored, owner } = setUp();
    const record = aRecord();

    const results = await atOnce(20, (index) => stored.insert(owner, kind.make(index), { ...UNRECORDED, record }));

    const records = fulfilled(results);
    expect(records).toHaveLength(20);
    expect(records.filter((earlier) => earlier === undefined)).toHaveLength(1);
    for (const earlier of records) if (earlier !== undefined) expect(earlier).toStrictEqual(record);
    expect(await stored.list(owner)).toHaveLength(1);
  });
}

function updatableContract<Stored extends Resource>(owned: Owners, kind: UpdatableKind<Stored>): void {
  const { get, absent, entry, trail } = owned;
  /** A resource with a version after it, and another one that is inserted later. */
  const setUp = async () => {
    const stored = kind.repository(get().repositories);
    const [resource, kept] = [kind.make(0), kind.make(1)];
    for (const each of [resource, kept]) await stored.insert(get().owner, each, UNRECORDED);
    const changed: Stored = { ...resource, ...kind.changes, updatedAt: after(1) };
    return { ...get(), stored, resource, kept, changed };
  };

  it('is replaced and deleted in the expected version only', async () => {
    const { stored, owner, resource, kept, changed } = await setUp();

    expect(await stored.replace(owner, changed, after(1), UNRECORDED)).toBe(false);
    expect(await stored.find(owner, resource.id)).toStrictEqual(resource);
    expect(await stored.replace(owner, changed, AT, UNRECORDED)).toBe(true);
    expect(await stored.replace(owner, changed, AT, UNRECORDED)).toBe(false);
    expect(await stored.find(owner, resource.id)).toStrictEqual(changed);
    expect(await stored.find(owner, kept.id)).toStrictEqual(kept);
    expect(await stored.delete(owner, resource.id, AT, UNRECORDED)).toBe(false);
    expect(await stored.delete(owner, resource.id, after(1), UNRECORDED)).toBe(true);

    expect(await stored.list(owner)).toStrictEqual([kept]);
  });

  it('is replaced by its owner only', async () => {
    const { stored, owner, other, resource, kept, changed } = await setUp();

    for (const key of [other, ...absent()]) {
      expect(await stored.replace(key, changed, AT, { entry: entry() })).toBe(false);
    }
    for (const id of [newId(), ...HOSTILE_STRINGS]) {
      expect(await stored.replace(owner, { ...changed, id }, AT, { entry: entry() })).toBe(false);
    }

    expect([await stored.list(owner), await trail()]).toEqual([[resource, kept], []]);
  });

  it('is replaced by one of twenty concurrent changes of a version', async () => {
    const { stored, owner, changed } = await setUp();

    const results = await atOnce(20, (index) =>
      stored.replace(owner, { ...changed, updatedAt: after(index + 1) }, AT, UNRECORDED),
    );

    expect(fulfilled(results)).toHaveLength(20);
    expect(fulfilled(results).filter(Boolean)).toHaveLength(1);
  });

  it('is replaced with an audit entry, and the entry only with it', async () => {
    const { stored, owner, resource, changed } = await setUp();
    const written = entry();

    await stored.replace(owner, changed, AT, { entry: written });
    await stored.replace(owner, changed, AT, { entry: entry() });
    await stored.delete(owner, resource.id, AT, { entry: entry() });

    expect(await trail()).toEqual([written.id]);
  });
}
