import { DEFINITION_LIMITS, goalInputOf, parseGoalChanges, parseNewGoal } from '@hitherto/domain/definitions';
import { Type } from '@sinclair/typebox';
import { type DefinitionResource, schemasOf } from './resource.ts';
import { BOUNDS, RULE_FIELDS, SHOWN_RULE, SUM } from './rules.ts';

const FIELDS = { ...RULE_FIELDS, ...BOUNDS, sum: SUM };

export const GOALS: DefinitionResource<'goal'> = {
  kind: 'goal',
  schemas: schemasOf({
    name: 'Goal',
    create: FIELDS,
    update: FIELDS,
    shown: {
      ...SHOWN_RULE,
      scroll: Type.Optional(Type.Integer({ description: 'How far down a pageview must have been seen, if at all.' })),
      seconds: Type.Optional(Type.Integer({ description: 'How many engaged seconds it must have, if any.' })),
      sum: Type.Optional(Type.String({ description: 'The property that is added up, if any.' })),
    },
    limit: DEFINITION_LIMITS.goal,
    example: { name: 'Signup', event: 'Signup', props: { plan: 'pro' }, sum: 'amount' },
  }),
  parseNew: parseNewGoal,
  parseChanges: parseGoalChanges,
  fieldsOf: goalInputOf,
};
