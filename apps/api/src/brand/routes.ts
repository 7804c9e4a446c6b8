import {
  type AccessRepository,
  accountNotFound,
  type Brand,
  type BrandDependencies,
  type BrandFault,
  type BrandInput,
  brandFaultText,
  changeBrand,
} from '@hitherto/domain/access';
import { type Fault, InvalidFields } from '@hitherto/domain/base';
import { accountProblemResponses, accountResponse, BODY_LIMIT, decodeJsonBodies, HttpProblem } from '@hitherto/http';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf, permit, viewerOf } from '../requests/authentication.ts';
import { parseBody, shapeFaults } from '../requests/input.ts';
import { bodyOf } from '../resources/documented.ts';
import { NoQuery } from '../websites/schemas.ts';

const nullable = (description: string, rest: object = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description, ...rest });

const NAME = nullable('1 to 100 characters on one line, next to the logo.', { maxLength: 1_000 });
const ACCENT = nullable('A colour such as #2f5bea. Text in it needs a contrast of 4.5:1 on light pages.', {
  maxLength: 1_000,
});
const LOGO = nullable('A PNG, or an SVG without scripts, of at most 50 kB, in Base64.', { maxLength: 100_000 });

const UpdateBrand = Type.Object(
  { name: Type.Optional(NAME), accent: Type.Optional(ACCENT), logo: Type.Optional(LOGO) },
  { additionalProperties: false, $id: 'UpdateBrand', examples: [{ name: 'Example Agency', accent: '#8b0000' }] },
);

const LOGO_PATH = '/brand/3f6f0f3f4f153f6f0f3f4f153f6f0f3f.png';
const BrandResponse = Type.Object(
  {
    data: Type.Object({
      name: nullable('The name; null for none.'),
      accent: nullable('The colour; null for that of Hitherto.'),
      logo: nullable('The path of the picture; null for none.'),
    }),
  },
  {
    $id: 'BrandResponse',
    examples: [{ data: { name: 'Example Agency', accent: '#8b0000', logo: LOGO_PATH } }],
  },
);

/** The schemas that are referenced by name. */
export const BRAND_SCHEMAS = [UpdateBrand, BrandResponse];

const ofAccount = { tags: ['sharing'], querystring: NoQuery };
const show = {
  ...ofAccount,
  operationId: 'showBrand',
  summary: 'Show the look of the account',
  description: 'The name, accent and logo of its public pages and mails.',
  response: {
    200: accountResponse('The look.', BrandResponse),
    ...accountProblemResponses(400, 401, 403, 408, 422, 429, 431, 500, 503),
  },
};
const update = {
  ...ofAccount,
  operationId: 'updateBrand',
  summary: 'Change the look of the account',
  description: 'Fields that are not sent keep their values; null removes one. Keys of members need an owner.',
  body: bodyOf(UpdateBrand),
  response: {
    200: accountResponse('The look as it is now.', BrandResponse),
    ...accountProblemResponses(400, 401, 403, 408, 413, 415, 422, 429, 431, 500, 503),
  },
};

const PATH = '/api/v1/brand';

interface BrandRouteDependencies extends Omit<BrandDependencies, 'author' | 'access'> {
  readonly access: Pick<AccessRepository, 'findAccount' | 'updateAccount'>;
}

/** The look of the account (sharing.md, "Your own look"). */
export function brandRoutes(app: FastifyInstance, deps: BrandRouteDependencies): void {
  permit(app, { read: 'see_settings', write: 'change_brand' });

  app.get(PATH, { schema: show }, async (request) => {
    const { accountId } = viewerOf(request);
    return { data: await readBrand(deps, accountId) };
  });

  app.register(async (writing) => {
    decodeJsonBodies(writing, ['application/json'], BODY_LIMIT);
    writing.patch<{ Body: Static<typeof UpdateBrand> | null }>(
      PATH,
      { schema: update, config: { mergesFaults: true } },
      async (request) => {
        // On the page, too, the look is the owners'.
        const member = request.apiKey?.member;
        if (member != null && member.role !== 'owner') throw new HttpProblem('forbidden');
        const { accountId } = viewerOf(request);
        const input = parseBody(request.body ?? {}, shapeFaults(request), readBody);
        const faults = await changeBrand({ ...deps, author: authorOf(request) }, accountId, input);
        if (faults.length > 0) throw new InvalidFields(faults.map(toFault));
        return { data: await readBrand(deps, accountId) };
      },
    );
  });
}

async function readBrand({ access }: BrandRouteDependencies, accountId: string): Promise<Brand> {
  const account = await access.findAccount(accountId);
  if (account === undefined) throw accountNotFound();
  const { name, accent, logo } = account.brand;
  return { name, accent, logo: logo && `/brand/${logo}` };
}

function readBody({ name, accent, logo }: Static<typeof UpdateBrand>): BrandInput {
  if (typeof logo !== 'string') return { name, accent, logo };
  // Node's own decoder skips what is no Base64.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(logo)) {
    throw new InvalidFields([{ field: 'logo', code: 'not_allowed', detail: 'Send the file in Base64.' }]);
  }
  return { name, accent, logo: new Uint8Array(Buffer.from(logo, 'base64')) };
}

function toFault(fault: BrandFault): Fault {
  const code = fault.is === 'too_large' ? 'too_long' : 'not_allowed';
  return { field: fault.field, code, detail: brandFaultText(fault) };
}
