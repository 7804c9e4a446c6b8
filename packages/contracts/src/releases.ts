import { newId } from '@hitherto/outside/system';
import { expect, it } from 'vitest';
import type { MakeRepositories } from './support/repositories.ts';

/** The contract of `ReleaseRepository`. */
export function releaseRepositoryContract(makeRepositories: MakeRepositories): void {
  it('has each version that brought other lists, in order of time', async () => {
    const { releases } = await makeRepositories();
    // Others may have noted theirs.
    const id = newId();
    const ours = (version: string, bots: string, sources = 'a') => ({
      ...{ version, bots: `${id} ${bots}`, sources },
      at: new Date('2026-11-20T12:00:00.123Z'),
    });
    const known = (await releases.list()).length;
    const [first, second, third] = [ours('1.0.0', 'a'), ours('1.1.0', 'b'), ours('1.1.0', 'b', 'c')];

    for (const release of [first, { ...first, version: '1.0.1' }, second, second, third, first]) {
      await releases.note(release);
    }

    expect((await releases.list()).slice(known)).toEqual([first, second, third, first]);
  });
}
