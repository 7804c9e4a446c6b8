import type { Release, ReleaseRepository } from '@hitherto/domain/records';

/** Stores which lists counted since when. */
export function createReleaseRepository(): ReleaseRepository {
  const releases: Release[] = [];
  return {
    async note(release) {
      const last = releases.at(-1);
      if (last?.bots !== release.bots || last.sources !== release.sources) releases.push({ ...release });
    },

    async list() {
      return structuredClone(releases);
    },
  };
}
