import type { Annotation } from '@hitherto/domain/annotations';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { anAnnotation } from '@hitherto/testing/fixtures';
import { beforeEach, expect, it } from 'vitest';
import { addAccount, addWebsites, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

/** The contract of `AnnotationRepository`, besides that of all resources. */
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
}
