import {
  FUNNEL,
  type FunnelInput,
  GOAL,
  type GoalInput,
  parseNewFunnel,
  parseNewGoal,
  parseNewSegment,
  SEGMENT,
  type SegmentInput,
} from '@hitherto/domain/definitions';
import { createResource } from '@hitherto/domain/resources';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { AN_AUTHOR } from '@hitherto/testing/fixtures';
import type { PagesUnderTest } from './pages.ts';

/** Functions that define goals, funnels and segments of a website. */
export function definer({ repositories, clock, accountId }: PagesUnderTest, { id: websiteId }: Website) {
  const deps = { definitions: repositories.definitions, now: clock.now, newId, author: AN_AUTHOR };
  const website = { accountId, websiteId };
  return {
    addGoal: (input: GoalInput) => createResource(deps, GOAL, website, parseNewGoal(input)),
    addFunnel: (input: FunnelInput) => createResource(deps, FUNNEL, website, parseNewFunnel(input)),
    addSegment: (input: SegmentInput) => createResource(deps, SEGMENT, website, parseNewSegment(input)),
  };
}

/** Adds a funnel of a page and an event `E`. Returns its id. */
export async function addAFunnel(pages: PagesUnderTest, website: Website): Promise<string> {
  const steps = [
    { name: 'é', page: '/*' },
    { name: 'E', event: 'E' },
  ];
  return (await definer(pages, website).addFunnel({ name: 'é 🦊', steps })).id;
}
