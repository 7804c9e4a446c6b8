import { expect } from 'vitest';
import type { Api } from '../support/api.ts';

/** A segment, a goal or a funnel as responses show it. */
export interface DefinitionJson {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly [member: string]: unknown;
}

/** A body for each kind, with mildly hostile names. */
export const BODIES = {
  segments: {
    name: 'Ægir <b>&"🦊',
    filters: { country: ['DE', ''], 'page.like': ['/blog/*'], 'props[a.b].not': ['é'] },
    match: 'any',
  },
  goals: { name: 'Ægir <b>&"🦊', event: 'Signup', props: { plan: 'pro', a: '' }, sum: 'amount' },
  funnels: {
    name: 'Ægir <b>&"🦊',
    steps: [
      { name: '<script>', page: '/product/*' },
      { name: 'Cart', event: 'Add to cart', props: { size: 'L' } },
    ],
    strict: true,
  },
} as const;

export type Path = keyof typeof BODIES;
export const PATHS: readonly Path[] = ['segments', 'goals', 'funnels'];

/** The most of each that a website has. */
export const LIMITS: Readonly<Record<Path, number>> = { segments: 50, goals: 50, funnels: 20 };

/** The path of the definitions of a new website. */
export async function aPath(api: Api, path: Path): Promise<string> {
  const { id } = await api.createWebsite();
  return `/api/v1/websites/${id}/${path}`;
}

/** Creates one, and returns it with its path. */
export async function create(api: Api, all: string, json: object): Promise<{ one: string; data: DefinitionJson }> {
  const response = await api.send('POST', all, { json });
  expect(response.status, response.text).toBe(201);
  return { one: response.header('location') ?? '', data: response.json<{ data: DefinitionJson }>().data };
}
