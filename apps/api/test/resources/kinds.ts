import { BODIES, LIMITS } from '../definitions/definitions.ts';

/** A kind of resource, as all tests of resources see it. */
export interface Kind {
  /** Under its website; of the account without one. */
  readonly ofAccount?: true;
  /** The body of a create; the texts differ, where names may be taken. */
  readonly body: (number: number) => Readonly<Record<string, unknown>>;
  /** The most of an owner. */
  readonly limit: number;
  readonly tooMany: string;
  /** Two changes of different fields; absent where nothing can be changed, and no version shown. */
  readonly changes?: readonly [object, object];
  readonly isShownAlone: boolean;
  /** Whether a create can be repeated. */
  readonly isRepeatable: boolean;
  readonly hasName?: true;
}

const step = { name: 'x', page: '/x' };
const named = (body: { readonly name: string }) => (number: number) => ({
  ...body,
  name: number === 0 ? body.name : `${number}`,
});
const definition = { isShownAlone: true, isRepeatable: true, hasName: true } as const;

/** All kinds by the names in their paths. */
export const KINDS: Readonly<Record<string, Kind>> = {
  segments: {
    ...definition,
    body: named(BODIES.segments),
    limit: LIMITS.segments,
    tooMany: 'too_many_segments',
    changes: [{ name: 'é' }, { match: 'all' }],
  },
  goals: {
    ...definition,
    body: named(BODIES.goals),
    limit: LIMITS.goals,
    tooMany: 'too_many_goals',
    changes: [{ name: 'é' }, { sum: 'x' }],
  },
  funnels: {
    ...definition,
    body: named(BODIES.funnels),
    limit: LIMITS.funnels,
    tooMany: 'too_many_funnels',
    changes: [{ name: 'é' }, { steps: [step, step] }],
  },
  annotations: {
    body: (number) => ({ day: '2026-11-20', text: `Version ${number} <é> 🦊 released`, is_public: false }),
    limit: 2_000,
    tooMany: 'too_many_annotations',
    changes: [{ text: 'é' }, { is_public: true }],
    isShownAlone: false,
    isRepeatable: true,
  },
  links: {
    body: () => ({ name: 'For the “board” 🦊' }),
    limit: 100,
    tooMany: 'too_many_links',
    isShownAlone: false,
    isRepeatable: false,
  },
  recipients: {
    body: (number) => ({ email: `Ægir${number}@bücher.example` }),
    limit: 20,
    tooMany: 'too_many_recipients',
    isShownAlone: false,
    isRepeatable: false,
  },
  alerts: {
    body: () => ({ rule: 'silence', hours: 24, email: true, webhooks: true }),
    limit: 20,
    tooMany: 'too_many_alerts',
    changes: [{ hours: 48 }, { email: false }],
    isShownAlone: true,
    isRepeatable: false,
  },
  webhooks: {
    ofAccount: true,
    body: () => ({ url: 'https://hooks.example/a', events: ['website.updated'], website_ids: null, is_active: true }),
    limit: 20,
    tooMany: 'too_many_webhooks',
    changes: [{ url: 'https://hooks.example/b' }, { is_active: false }],
    isShownAlone: true,
    isRepeatable: false,
  },
};
