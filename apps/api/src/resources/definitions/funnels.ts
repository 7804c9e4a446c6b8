import {
  DEFINITION_LIMITS,
  funnelInputOf,
  parseFunnelChanges,
  parseNewFunnel,
  STEP_LIMITS,
  type StepInput,
} from '@hitherto/domain/definitions';
import { Type } from '@sinclair/typebox';
import { type DefinitionResource, nameSchema, schemasOf } from './resource.ts';
import { RULE_FIELDS, SHOWN_RULE } from './rules.ts';

const { min, max } = STEP_LIMITS;
const SENT_STEP = Type.Object({ name: nameSchema(), ...RULE_FIELDS }, { additionalProperties: false });
const STEPS = Type.Unsafe<StepInput[]>({
  ...Type.Array(SENT_STEP, { minItems: min, maxItems: max }),
  description: `${min} to ${max} steps; each has a name and either "event", with or without "props", or "page".`,
});

const STRICT = Type.Optional(
  Type.Boolean({ description: 'Whether no other pageview may lie between two steps; false unless it is sent.' }),
);

export const FUNNELS: DefinitionResource<'funnel'> = {
  kind: 'funnel',
  schemas: schemasOf({
    name: 'Funnel',
    create: { steps: STEPS, strict: STRICT },
    update: { steps: Type.Optional(STEPS), strict: STRICT },
    shown: {
      steps: Type.Array(Type.Object({ name: Type.String(), ...SHOWN_RULE }), { minItems: min, maxItems: max }),
      strict: Type.Boolean(),
    },
    limit: DEFINITION_LIMITS.funnel,
    example: {
      name: 'Purchase',
      steps: [
        { name: 'Product', page: '/product/*' },
        { name: 'Cart', event: 'Add to cart' },
        { name: 'Paid', page: '/thanks' },
      ],
      strict: false,
    },
  }),
  parseNew: parseNewFunnel,
  parseChanges: parseFunnelChanges,
  fieldsOf: funnelInputOf,
};
