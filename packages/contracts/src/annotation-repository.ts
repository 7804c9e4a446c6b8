import { type Annotation, MAX_ANNOTATIONS } from '@hitherto/domain/annotations';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled, rejected } from '@hitherto/testing/at-once';
import { anAnnotation, anEntry } from '@hitherto/testing/fixtures';
import { beforeEach, expect, it } from 'vitest';
import {
  addAccount,
  addWebsites,
  aRecord,
  HOSTILE_STRINGS,
  type MakeRepositories,
  type TestRepositories,
} from './support/repositories.ts';

/** The contract of `AnnotationRepository`. */
export function annotationRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;
  let website: WebsiteKey;
  let other: WebsiteKey;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    const [one, two] = await addWebsites(repositories, accountId, ['https://a.example', 'https://b.example']);
    website = { accountId, websiteId: one?.id ?? '' };
    other = { accountId, websiteId: two?.id ?? '' };
  });

  const someAnnotation = (overrides: Partial<Annotation> = {}) => anAnnotation({ id: newId(), ...overrides });
  const entryOf = () => anEntry({ id: newId(), accountId });
  const trail = async () =>
    (await repositories.audit.list(wholeAccount(accountId), {}, 100)).entries.map(({ id }) => id).sort();

  it('lists annotations by day, and those of a day in the order of insertion, as copies', async () => {
    const { annotations } = repositories;
    const [later, first, second] = [
      someAnnotation({ day: '2026-11-21', isPublic: true }),
      someAnnotation({ text: 'b' }),
      someAnnotation({ text: 'a' }),
    ];
    for (const annotation of [later, first, second]) await annotations.insert(website, annotation, UNRECORDED);
    (await annotations.list(website))?.[0]?.createdAt.setTime(0);

    expect(await annotations.list(website)).toStrictEqual([first, second, later]);
    expect(await annotations.list(other)).toEqual([]);
  });

  it('lists those of a period, both ends included', async () => {
    const { annotations } = repositories;
    for (const day of ['1970-01-01', '2026-11-19', '2026-11-20', '2026-11-21', '9999-12-31']) {
      await annotations.insert(website, someAnnotation({ day }), UNRECORDED);
    }
    const daysOf = async (from: string, to: string) =>
      (await annotations.list(website, { from, to }))?.map(({ day }) => day);

    expect(await daysOf('2026-11-19', '2026-11-20')).toEqual(['2026-11-19', '2026-11-20']);
    expect(await daysOf('1970-01-01', '9999-12-31')).toHaveLength(5);
    expect(await daysOf('2027-01-01', '2027-01-02')).toEqual([]);
  });

  it('finds one by its id, as a copy', async () => {
    const { annotations } = repositories;
    const annotation = someAnnotation();
    await annotations.insert(website, annotation, UNRECORDED);
    (await annotations.find(website, annotation.id))?.updatedAt.setTime(0);

    expect(await annotations.find(website, annotation.id)).toStrictEqual(annotation);
    expect(await annotations.find(other, annotation.id)).toBeUndefined();
    for (const id of [...HOSTILE_STRINGS, newId()]) expect(await annotations.find(website, id)).toBeUndefined();
  });

  it('needs a website of the account', async () => {
    const { annotations } = repositories;
    const annotation = someAnnotation();
    await annotations.insert(website, annotation, UNRECORDED);
    const stranger = await addAccount(repositories);
    const keys = [
      { ...website, accountId: stranger },
      ...HOSTILE_STRINGS.map((id) => ({ accountId, websiteId: id })),
      ...HOSTILE_STRINGS.map((id) => ({ ...website, accountId: id })),
    ];

    for (const key of keys) {
      await expect(annotations.insert(key, someAnnotation(), { entry: entryOf() })).rejects.toMatchObject({
        code: 'not_found',
      });
      expect(await annotations.list(key)).toBeUndefined();
      expect(await annotations.find(key, annotation.id)).toBeUndefined();
      expect(await annotations.replace(key, annotation, annotation.updatedAt, { entry: entryOf() })).toBe(false);
      expect(await annotations.delete(key, annotation.id, annotation.updatedAt, { entry: entryOf() })).toBe(false);
    }
    expect([await annotations.list(website), await trail()]).toEqual([[annotation], []]);
  });

  it('replaces and deletes only the expected version', async () => {
    const { annotations } = repositories;
    const annotation = someAnnotation();
    const kept = someAnnotation();
    const changed = {
      ...annotation,
      day: '2026-11-25',
      text: 'x'.repeat(200),
      isPublic: true,
      updatedAt: new Date(annotation.updatedAt.getTime() + 1),
    };
    await annotations.insert(website, annotation, UNRECORDED);
    await annotations.insert(website, kept, UNRECORDED);

    expect(await annotations.replace(website, changed, changed.updatedAt, UNRECORDED)).toBe(false);
    expect(await annotations.replace(website, changed, annotation.updatedAt, UNRECORDED)).toBe(true);
    expect(await annotations.replace(website, changed, annotation.updatedAt, UNRECORDED)).toBe(false);
    expect(await annotations.list(website)).toStrictEqual([kept, changed]);
    expect(await annotations.delete(website, annotation.id, annotation.updatedAt, UNRECORDED)).toBe(false);
    expect(await annotations.delete(website, annotation.id, changed.updatedAt, UNRECORDED)).toBe(true);
    expect(await annotations.delete(website, annotation.id, changed.updatedAt, UNRECORDED)).toBe(false);

    expect(await annotations.list(website)).toStrictEqual([kept]);
  });

  it('adds at most 2,000 to a website, also under concurrency', async () => {
    const { annotations } = repositories;
    for (let count = 1; count < MAX_ANNOTATIONS; count += 1)
      await annotations.insert(website, someAnnotation(), UNRECORDED);

    const results = await atOnce(4, () => annotations.insert(website, someAnnotation(), UNRECORDED));

    expect(fulfilled(results)).toEqual([undefined]);
    expect(rejected(results)).toEqual(Array(3).fill(expect.objectContaining({ code: 'too_many_annotations' })));
    expect(await annotations.list(website)).toHaveLength(MAX_ANNOTATIONS);
    await annotations.insert(other, someAnnotation(), UNRECORDED);
  });

  it('is inserted with the idempotency record, both or neither', async () => {
    const { annotations, idempotency } = repositories;
    const record = aRecord();
    const [first, second] = [someAnnotation(), someAnnotation()];

    expect(await annotations.insert(website, first, { record, entry: entryOf() })).toBeUndefined();
    expect(
      await annotations.insert(website, second, { record: { ...record, fingerprint: 'x' }, entry: entryOf() }),
    ).toEqual(record);
    expect(await annotations.list(website)).toStrictEqual([first]);
    expect(await idempotency.find(accountId, record.keyHash, first.createdAt)).toEqual(record);
    expect(await trail()).toHaveLength(1);

    const results = await atOnce(4, () =>
      annotations.insert(website, someAnnotation(), { ...UNRECORDED, record: aRecord({ keyHash: 'other' }) }),
    );
    expect(fulfilled(results).filter((result) => result === undefined)).toHaveLength(1);
    expect(await annotations.list(website)).toHaveLength(2);
  });

  it('is written with its audit entry, and the entry only with it', async () => {
    const { annotations } = repositories;
    const annotation = someAnnotation();
    const changed = { ...annotation, text: 'b', updatedAt: new Date(annotation.updatedAt.getTime() + 1) };
    const entries = [entryOf(), entryOf(), entryOf()];

    await annotations.insert(website, annotation, { entry: entries[0] });
    await annotations.replace(website, changed, annotation.updatedAt, { entry: entries[1] });
    await annotations.replace(website, changed, annotation.updatedAt, { entry: entryOf() });
    await annotations.delete(website, annotation.id, annotation.updatedAt, { entry: entryOf() });
    await annotations.delete(website, annotation.id, changed.updatedAt, { entry: entries[2] });

    expect(await trail()).toEqual(entries.map(({ id }) => id).sort());
  });

  it('is deleted with its website and its account', async () => {
    const { annotations, websites, access } = repositories;
    const annotation = someAnnotation();
    await annotations.insert(website, annotation, UNRECORDED);
    await annotations.insert(other, someAnnotation(), UNRECORDED);

    await websites.delete(accountId, website.websiteId, undefined, UNRECORDED);
    expect(await annotations.find(website, annotation.id)).toBeUndefined();
    expect(await annotations.list(other)).toHaveLength(1);
    await access.deleteAccount(accountId);

    expect(await annotations.list(other)).toBeUndefined();
  });
}
