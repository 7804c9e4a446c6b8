import { NameTaken } from '@hitherto/domain/base';
import type { Authored } from '@hitherto/domain/changes';
import {
  DEFINITION_TYPES,
  type DefinitionDependencies,
  type DefinitionKind,
  type NewDefinition,
  parseNewFunnel,
  parseNewGoal,
} from '@hitherto/domain/definitions';
import { createResource } from '@hitherto/domain/resources';
import type { WebsiteKey } from '@hitherto/domain/websites';

const SIGNUP = { event: 'Signup' };

export const DEMO_GOALS = [
  parseNewGoal({ name: 'Signup', ...SIGNUP, sum: 'amount' }),
  parseNewGoal({ name: 'Read a guide', page: '/guides/*' }),
];

export const DEMO_FUNNEL = parseNewFunnel({
  name: 'From guide to signup',
  steps: [
    { name: 'Guide', page: '/guides/*' },
    { name: 'Pricing', page: '/pricing' },
    { name: 'Signup', ...SIGNUP },
  ],
});

type Dependencies = Authored & Pick<DefinitionDependencies, 'definitions' | 'now' | 'newId'>;

/** Gives the demo goals and a funnel that its visits fulfil. Existing ones stay as they are. */
export async function defineDemo(deps: Dependencies, website: WebsiteKey): Promise<void> {
  for (const goal of DEMO_GOALS) await createUnlessTaken(deps, 'goal', website, goal);
  await createUnlessTaken(deps, 'funnel', website, DEMO_FUNNEL);
}

async function createUnlessTaken<Kind extends DefinitionKind>(
  deps: Dependencies,
  kind: Kind,
  website: WebsiteKey,
  definition: NewDefinition<Kind>,
): Promise<void> {
  try {
    await createResource(deps, DEFINITION_TYPES[kind], website, definition);
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
  }
}
