import { NameTaken, SegmentInUse } from '@hitherto/domain/base';
import {
  DEFINITION_LIMITS,
  type Definition,
  type DefinitionKind,
  type DefinitionRepositories,
  type DefinitionRepository,
  tooManyDefinitions,
} from '@hitherto/domain/definitions';
import type { Owner } from '@hitherto/domain/resources';
import type { WebsiteKey } from '@hitherto/domain/websites';
import type { State } from '../state.ts';
import { createOwned, type Owned, type OwnedResources, type Rules } from './owned.ts';

/** Stores segments, goals and funnels in `state`. */
export function createDefinitionRepositories(state: State): DefinitionRepositories {
  const { segment, goal, funnel } = state.resources;
  const rejectDeletion = (owner: Owner, id: string) => rejectUsedSegment(state.resources, owner, id);
  const repositories = {
    segment: repositoryOf(state, segment, { ...rulesOf('segment'), rejectDeletion }),
    goal: repositoryOf(state, goal, rulesOf('goal')),
    funnel: repositoryOf(state, funnel, rulesOf('funnel')),
  };
  return {
    ...repositories,

    async all(website) {
      const segments = (await repositories.segment.list(website)) ?? [];
      const goals = (await repositories.goal.list(website)) ?? [];
      return { segments, goals, funnels: (await repositories.funnel.list(website)) ?? [] };
    },
  };
}

function repositoryOf<Kind extends DefinitionKind>(
  state: State,
  all: Owned<Definition<Kind>>,
  rules: Rules<Definition<Kind>>,
): DefinitionRepository<Kind> {
  const owned = createOwned<WebsiteKey, Definition<Kind>>(state, all, rules);
  return {
    ...owned,

    async size(website) {
      const contents = ((await owned.list(website)) ?? []).map(({ content }) => JSON.stringify(content));
      return Buffer.byteLength(contents.join(''));
    },

    async findAll(website, ids) {
      return ((await owned.list(website)) ?? []).filter(({ id }) => ids.includes(id));
    },
  };
}

function rulesOf<Kind extends DefinitionKind>(kind: Kind): Rules<Definition<Kind>> {
  return {
    limit: DEFINITION_LIMITS[kind],
    tooMany: () => tooManyDefinitions(kind),
    reject(_, { name }, others) {
      const taken = others.find((other) => other.name === name);
      if (taken !== undefined) throw new NameTaken(taken.id);
    },
  };
}

/** Throws if a link of the website shows the visits of this segment. */
function rejectUsedSegment({ link }: OwnedResources, { websiteId }: Owner, id: string): void {
  for (const { owner, resource } of link.values()) {
    if (owner.websiteId === websiteId && resource.segmentId === id) throw new SegmentInUse(resource.name);
  }
}
